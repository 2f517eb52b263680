import { describe, expect, it } from '@jest/globals';
import MailComposer from 'nodemailer/lib/mail-composer';
import { simpleParser } from 'mailparser';
import { composed } from '../../../platform/senders/smtp-sender.ts';
import { aMessage, anEmail } from './sample-messages.ts';

const maxBytes = 102_400;

const raw = async (...made: Parameters<typeof anEmail>): Promise<Buffer> =>
  new MailComposer(composed(anEmail(...made))).compile().build();

/** Every text that a caller chooses, at its max length. */
const filledWith = (sign: string, at: number) => {
  const id = sign === '\n' ? 'x'.repeat(1_000) : sign.repeat(Math.floor(1_000 / Buffer.byteLength(sign)));
  return aMessage(
    {
      ids: {
        organizationId: id,
        documentId: id,
        notificationId: String(at),
        annotationId: id,
        commentId: '1',
      },
      documentName: sign.repeat(500),
      comment: { annotationCreator: sign.repeat(500) },
      actorName: sign.repeat(500),
      headline: `x${sign.repeat(500)}`,
      text: `x${sign.repeat(50_000)}x`,
      at: Date.UTC(2026, 0, 2),
    },
    { id: String(at), thread: String(at), document: String(at), organizationName: sign.repeat(500) },
  );
};

const settings = {
  fromCompany: '😀'.repeat(500),
  linkTemplate: 'https://app.example.com/{organizationId}/{documentId}?n={notificationId}',
};

const signs = ['x', '&', '=', 'Ö', '語', '😀', '\n', ' ', '\u00a0'];

describe('an e-mail has at most 100 KiB', () => {
  it.each(signs)('about one notice whose texts consist of %j', async (sign) => {
    expect((await raw([filledWith(sign, 1)], settings)).length).toBeLessThanOrEqual(maxBytes);
  });

  it.each(signs)('about 50 notices whose texts consist of %j, and counts omitted notices', async (sign) => {
    const messages = Array.from({ length: 50 }, (_, at) => filledWith(sign, at));
    const content = await raw(messages, settings);
    expect(content.length).toBeLessThanOrEqual(maxBytes);
    const { subject, text = '', html } = await simpleParser(content, { skipTextToHtml: true });
    expect(subject).toMatch(/^50 updates in/);
    const shown = text.split('\n').filter((line) => line.startsWith('2026-01-02 00:00 UTC')).length;
    expect(shown).toBeGreaterThan(0);
    const rest = shown < 50 ? `and ${String(50 - shown)} more` : 'You are receiving this message';
    expect(text).toContain(rest);
    expect(html).toContain(rest);
  });

  it('with a template whose links are too long, and omits the link', async () => {
    const linkTemplate = `https://app.example.com/?${'id={documentId}&'.repeat(100)}`;
    const content = await raw([filledWith('😀', 1)], { linkTemplate });
    expect(content.length).toBeLessThanOrEqual(maxBytes);
    expect((await simpleParser(content)).text).not.toContain('app.example.com');
  });

  it('and contains texts of usual length unabridged', async () => {
    const text = 'Fünf Wörter, ganz und gar. '.repeat(100).trim();
    const one = await simpleParser(await raw([aMessage({ text })]));
    expect(one.text).toContain(text);
    const messages = Array.from({ length: 50 }, (_, at) =>
      aMessage({ text: `${String(at)}: ${'x'.repeat(90)}` }),
    );
    const many = await simpleParser(await raw(messages));
    expect(many.text).toContain(`49: ${'x'.repeat(90)}`);
  });
});
