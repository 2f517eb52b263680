import { createSecretKey } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { simpleParser } from 'mailparser';
import MailComposer from 'nodemailer/lib/mail-composer';
import { mailAddress } from '../../../domain/notices/messages/address.ts';
import { bodyText, oneLine, senderName } from '../../../domain/notices/messages/clean-text.ts';
import { contentOf, type Notice } from '../../../domain/notices/messages/content.ts';
import { emailHeaders, messageIdOf } from '../../../domain/notices/messages/email-headers.ts';
import { linkOf } from '../../../domain/notices/messages/link.ts';
import { renderDigest, renderSingle } from '../../../domain/notices/messages/render-email.ts';
import { slackDigest, slackSingle } from '../../../domain/notices/messages/render-slack.ts';
import { composed } from '../../../platform/senders/smtp-sender.ts';
import { casesOf } from '../../support/tier.ts';

const settings = {
  includeContent: true,
  linkTemplate: 'https://app.example.com/d/{documentId}?n={notificationId}',
};
const unsubscribeUrl = 'https://steward.example.com/unsubscribe/token';

const aNotice = (changes: Partial<Notice> = {}): Notice => ({
  ids: { organizationId: 'acme', documentId: 'plan', notificationId: 'n1' },
  documentName: 'Plan',
  comment: undefined,
  actorName: 'Ada',
  headline: 'Ada commented',
  headlineIsOurs: true,
  text: 'Is this the latest plan?',
  textsHeldElsewhere: false,
  at: Date.UTC(2026, 0, 2, 3, 4),
  ...changes,
});

const headerContext = {
  deliveryId: 'dlv_1',
  reason: 'mention',
  domain: 'example.org',
  secret: createSecretKey(Buffer.alloc(32, 7)),
  apiKeyId: '1',
  organizationId: '2',
  threadId: '3',
  unsubscribeUrl,
} as const;

const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    'x\r\nBcc: evil@example.net',
    'x\nSubject: other',
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    'a@b.example <c@d.example>',
    'Ada\u202Etxt.exe',
    '=?utf-8?q?=0d=0aBcc:_evil@example.net?=',
    '\ud83d',
    '{{userId}} {actionUser}',
    'x'.repeat(5_000),
    'Ö'.repeat(200),
    '',
    "'); --",
    '</style><b>',
    '\u0000\u001b[31m',
  ),
);

describe('a single message', () => {
  it('names its document and its link', () => {
    const rendered = renderSingle(contentOf(aNotice(), settings), unsubscribeUrl);
    expect(rendered.subject).toBe('Ada commented');
    expect(rendered.text).toBe(
      [
        'Ada commented',
        'Is this the latest plan?',
        'https://app.example.com/d/plan?n=n1',
        '-- \nYou are receiving this message because you are a user of this workspace.\nUnsubscribe: https://steward.example.com/unsubscribe/token\n',
      ].join('\n\n'),
    );
    expect(rendered.html).toContain('<a class="button" href="https://app.example.com/d/plan?n=n1">Open</a>');
  });

  it('of a thread has the subject of its first message', () => {
    const about = aNotice({ comment: { annotationCreator: 'Grace' } });
    expect(contentOf(about, settings).subject).toBe('[Plan] Comment by Grace');
  });

  it('contains only the kind of event when content must not leave', () => {
    const without = { ...settings, includeContent: false };
    expect(contentOf(aNotice({ headlineIsOurs: false }), without)).toMatchObject({
      headline: 'New notification in Plan',
      text: '',
    });
    expect(contentOf(aNotice(), without)).toMatchObject({ headline: 'Ada commented', text: '' });
    expect(contentOf(aNotice({ textsHeldElsewhere: true, headlineIsOurs: false }), settings)).toMatchObject({
      headline: 'New notification in Plan',
      text: '',
    });
  });

  it('names the location when it has no headline', () => {
    expect(contentOf(aNotice({ headline: ' ', headlineIsOurs: false }), settings).subject).toBe(
      'New notification in Plan',
    );
  });
});

describe('a digest', () => {
  it('counts its notices and groups them by document', () => {
    const content = contentOf(aNotice(), settings);
    const groups = [
      { documentName: 'Plan', threads: [[content], [content]] },
      { documentName: 'Notes', threads: [[content]] },
    ];
    const rendered = renderDigest(groups, 'Acme', undefined);
    expect(rendered.subject).toBe('3 updates in Acme');
    expect(rendered.text).toContain('2026-01-02 03:04 UTC · Ada\nAda commented\nIs this the latest plan?');
    expect(rendered.html.match(/<h2>/g)).toHaveLength(2);
    expect(rendered.html).not.toContain('Unsubscribe');
  });
});

describe('texts of users', () => {
  it('add no header, recipient or markup to an e-mail', async () => {
    const property = fc.asyncProperty(
      fc.record({
        name: hostileText,
        document: hostileText,
        headline: hostileText,
        text: hostileText,
        id: hostileText,
      }),
      async ({ name, document, headline, text, id }) => {
        const notice = aNotice({
          actorName: name,
          documentName: document,
          headline,
          text,
          comment: { annotationCreator: name },
          ids: { organizationId: id, documentId: id, notificationId: id, commentId: id },
        });
        const content = contentOf(notice, settings);
        const single = renderSingle(content, unsubscribeUrl);
        const digest = renderDigest(
          [{ documentName: content.documentName, threads: [[content, content]] }],
          document,
          unsubscribeUrl,
        );
        for (const { subject, text: plainText, html } of [single, digest]) {
          const raw = await new MailComposer(
            composed({
              messageId: messageIdOf(headerContext),
              from: { name: senderName(name), address: 'noreply@example.org' },
              to: 'reader@example.com',
              replyTo: '',
              subject,
              text: plainText,
              html,
              headers: emailHeaders(headerContext),
            }),
          )
            .compile()
            .build();
          const parsed = await simpleParser(raw, { skipTextToHtml: true });
          expect([...parsed.headers.keys()].toSorted()).toEqual(expectedHeaders);
          expect(parsed.to).toMatchObject({ value: [{ address: 'reader@example.com' }] });
          expect(parsed.from).toMatchObject({ value: [{ address: 'noreply@example.org' }] });
          expect(parsed.subject ?? '').toBe(subject);
          expect(subject).not.toMatch(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/u);
          expect(Array.from(subject).length).toBeLessThanOrEqual(150);
          expect(tagsOf(html)).toEqual(expect.not.arrayContaining(['script', 'img', 'b']));
          for (const href of html.matchAll(/href="([^"]*)"/g))
            expect(href[1]).toMatch(/^https:\/\/(?:app|steward)\.example\.com\//);
        }
      },
    );
    await fc.assert(property, { numRuns: casesOf(150) });
  });

  it('are not interpreted as markup in Slack', () => {
    const property = fc.property(hostileText, hostileText, (headline, text) => {
      const content = contentOf(aNotice({ headline, text }), settings);
      for (const { text: fallback, blocks } of [
        slackSingle(content),
        slackDigest([content, content], headline),
      ]) {
        expect(fallback).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
        expect(JSON.stringify(blocks)).not.toContain('mrkdwn');
        for (const block of blocks as { text?: { text: string } }[])
          expect(block.text?.text.length ?? 1).toBeGreaterThan(0);
      }
    });
    fc.assert(property);
  });

  const expectedHeaders = [
    'auto-submitted',
    'content-type',
    'date',
    'from',
    'in-reply-to',
    'list',
    'message-id',
    'mime-version',
    'references',
    'subject',
    'to',
    'x-auto-response-suppress',
    'x-steward-delivery',
    'x-steward-reason',
  ];

  const tagsOf = (html: string): string[] => [...html.matchAll(/<([a-z0-9]+)/g)].map(([, tag = '']) => tag);
});

describe('a sender', () => {
  it.each([
    ['Ada', 'Ada'],
    ['ada@example.com', ''],
    ['see https://evil.example', ''],
    ['ada\uff20example.com', ''],
    ['https\uff1a//evil.example', ''],
    ['Ada\r\nBcc: x', 'Ada Bcc: x'],
    ['x'.repeat(70), 'x'.repeat(64)],
  ])('%j is shown as %j', (name, shown) => {
    expect(senderName(name)).toBe(shown);
  });
});

describe('a text of one line', () => {
  it('is truncated between characters', () => {
    expect(oneLine('😀'.repeat(3), 2)).toBe('😀😀');
    expect(oneLine('a\ud83d', 5)).toBe('a\ufffd');
  });
});

describe('a text that was cleaned and cut before', () => {
  it('is shown as it would have been', () => {
    const sign = fc.constantFrom(
      'a',
      ' ',
      '\t',
      '\r',
      '\n',
      '=',
      '?',
      '😀',
      '\ud83d',
      '\ude00',
      '\u202e',
      '\u00a0',
    );
    const text = fc.string({ unit: sign, maxLength: 40 });
    const max = fc.integer({ min: 0, max: 20 });
    fc.assert(
      fc.property(text, max, max, (sent, shown, more) => {
        for (const clean of [oneLine, bodyText])
          expect(clean(clean(sent, shown + more), shown)).toBe(clean(sent, shown));
      }),
    );
  });
});

describe('an address', () => {
  it.each([
    ['ada@example.com', { address: 'ada@example.com', domain: 'example.com', isAscii: true }],
    [
      'ada@Bücher.example',
      { address: 'ada@xn--bcher-kva.example', domain: 'xn--bcher-kva.example', isAscii: true },
    ],
    ['jörg@example.com', { address: 'jörg@example.com', domain: 'example.com', isAscii: false }],
    ['ada@example.com, eve@example.com', undefined],
    ['<ada@example.com>', undefined],
    ['ada@example.com\r\nBcc: eve@example.com', undefined],
    ['ada', undefined],
    ['@example.com', undefined],
    ['ada@', undefined],
    ['ada@127.0.0.1', undefined],
    ['ada@127.1', undefined],
    ['ada@0x7f000001', undefined],
    ['ada@localhost', { address: 'ada@localhost', domain: 'localhost', isAscii: true }],
  ])('%j is parsed as %j', (text, parsed) => {
    expect(mailAddress(text)).toEqual(parsed);
  });
});

describe('a link', () => {
  it('percent-encodes ids, and omits absent ones', () => {
    const ids = { organizationId: 'a b', documentId: 'x/../y"', notificationId: '&' };
    expect(
      linkOf('https://app.example.com/{organizationId}/{documentId}/{commentId}?n={notificationId}', ids),
    ).toBe('https://app.example.com/a%20b/x%2F..%2Fy%22/?n=%26');
    expect(linkOf('', ids)).toBeUndefined();
    expect(linkOf(`https://${'例'.repeat(64)}.example/{documentId}`, ids)).toBeUndefined();
  });
});
