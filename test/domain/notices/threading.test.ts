import { describe, expect, it } from '@jest/globals';
import { simpleParser, type ParsedMail } from 'mailparser';
import MailComposer from 'nodemailer/lib/mail-composer';
import type { Email } from '../../../platform/senders/email.ts';
import { composed } from '../../../platform/senders/smtp-sender.ts';
import { aMessage, anEmail } from './sample-messages.ts';

const received = async (email: Email): Promise<ParsedMail> =>
  simpleParser(await new MailComposer(composed(email)).compile().build());

describe('the headers of an e-mail', () => {
  it('make the messages of one comment thread replies to a common parent, which is never sent', async () => {
    const first = await received(anEmail([aMessage()], {}, 'dlv_1'));
    const second = await received(anEmail([aMessage({ text: 'Another comment' }, { id: '2' })], {}, 'dlv_2'));
    expect([first.messageId, second.messageId]).toEqual(['<dlv_1@acme.example>', '<dlv_2@acme.example>']);
    expect(first.inReplyTo).toMatch(/^<thread\.[0-9a-f]{32}@acme\.example>$/);
    expect(first.references).toBe(first.inReplyTo);
    expect([second.inReplyTo, second.references]).toEqual([first.inReplyTo, first.references]);
    expect([first.messageId, second.messageId]).not.toContain(first.inReplyTo);
    expect(second.subject).toBe(first.subject);
  });

  it('distinguish threads, documents of digests and notifications without a comment', async () => {
    const first = await received(anEmail([aMessage()]));
    const other = await received(anEmail([aMessage({}, { thread: '2' })]));
    expect(other.inReplyTo).not.toBe(first.inReplyTo);
    const digest = await received(anEmail([aMessage(), aMessage({}, { id: '2' })]));
    const single = await received(anEmail([aMessage({ comment: undefined }, { thread: null })]));
    for (const { inReplyTo, references } of [digest, single]) {
      expect([inReplyTo, references]).toEqual([undefined, undefined]);
    }
    expect(digest.subject).toBe('2 updates in Launch plan');
  });

  it('are the same on every attempt', async () => {
    const [one, again] = [anEmail([aMessage()]), anEmail([aMessage()])];
    expect(again).toEqual(one);
  });

  it('allow mailbox providers to unsubscribe by one click, and name the list of the organization', async () => {
    const one = await received(anEmail([aMessage()]));
    const other = await received(anEmail([aMessage({}, { organization: '2' })]));
    const unsubscribe = '<https://steward.example.com/unsubscribe/token>';
    expect(one.headerLines.map(({ line }) => line)).toEqual(
      expect.arrayContaining([
        `List-Unsubscribe: ${unsubscribe}`,
        'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
      ]),
    );
    const listOf = ({ headerLines }: ParsedMail) => headerLines.find(({ key }) => key === 'list-id')?.line;
    expect(listOf(one)).toMatch(/^List-Id: <[0-9a-f]{32}\.acme\.example>$/i);
    expect(listOf(other)).not.toBe(listOf(one));
    expect(one.replyTo?.value).toEqual([{ address: 'support@acme.example', name: '' }]);
    expect([one.cc, one.bcc]).toEqual([undefined, undefined]);
  });
});
