import { createServer, type AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Email } from '../../../platform/senders/email.ts';
import { smtpSender, type EmailSender } from '../../../platform/senders/smtp-sender.ts';
import { smtpVerdict } from '../../../platform/senders/smtp-verdict.ts';
import { aMailServer, type MailServer, type Script } from '../../support/mail-server.ts';

const to = 'reader@example.com';

const anEmail = (changes: Partial<Email> = {}): Email => ({
  messageId: '<dlv_1@example.org>',
  from: { name: 'Ada via Acme', address: 'noreply@example.org' },
  to,
  replyTo: '',
  subject: 'Ada commented',
  text: 'See the plan.\n.\nSecond line.',
  html: '<p>See the plan.</p>',
  headers: { 'Auto-Submitted': 'auto-generated' },
  ...changes,
});

let server: MailServer;
let sender: EmailSender;
beforeAll(async () => {
  server = await aMailServer();
  sender = smtpSender(server.url);
});
afterEach(() => server.script(to, undefined));
afterAll(async () => {
  sender.close();
  await server.close();
});

describe('an e-mail by SMTP', () => {
  it('arrives as it was composed', async () => {
    const email = anEmail({ replyTo: 'team@example.org' });
    const verdict = await sender.send('key', email);
    expect(verdict).toEqual({ result: 'accepted', code: '250', reference: email.messageId });
    const mail = server.mails.at(-1);
    expect(mail).toMatchObject({ from: 'noreply@example.org', to });
    expect(mail?.parsed).toMatchObject({
      messageId: '<dlv_1@example.org>',
      subject: 'Ada commented',
      from: { value: [{ name: 'Ada via Acme', address: 'noreply@example.org' }] },
      to: { value: [{ address: to }] },
      replyTo: { value: [{ address: 'team@example.org' }] },
      html: '<p>See the plan.</p>',
    });
    expect(mail?.parsed.text?.trimEnd()).toBe('See the plan.\n.\nSecond line.');
    expect(mail?.parsed.headers.get('auto-submitted')).toBe('auto-generated');
    expect(mail?.raw).not.toMatch(/^x-mailer/im);
  });

  it.each<[string, Script, object]>([
    [
      'is refused when the address does not exist',
      { atRecipient: '550 5.1.1 no such user' },
      { result: 'refused', code: '5.1.1', addressUnknown: true },
    ],
    [
      'is refused when the mailbox refuses it',
      { atRecipient: '550 5.7.1 policy' },
      { result: 'refused', code: '5.7.1', addressUnknown: false },
    ],
    [
      'is refused when the server refuses its content',
      { afterData: '554 5.7.1 spam' },
      { result: 'refused', code: '5.7.1', addressUnknown: false },
    ],
    [
      'has failed for now when the mailbox is full',
      { atRecipient: '452 4.2.2 full' },
      { result: 'failed', code: '4.2.2' },
    ],
    [
      'has failed for now when the server is busy',
      { afterData: '451 busy' },
      { result: 'failed', code: '451' },
    ],
    [
      'pauses when the server limits senders',
      { atSender: '451 4.7.1 slow down' },
      { result: 'paused', code: '4.7.1', waitMs: 30_000 },
    ],
    [
      'may have arrived when the connection is lost after the final dot',
      { drop: 'after the final dot' },
      { result: 'unknown', code: expect.any(String) },
    ],
  ])('%s', async (_name, script, verdict) => {
    server.script(to, script);
    expect(await sender.send('key', anEmail())).toEqual(verdict);
  });

  it('may have arrived when TLS fails after the final dot', () => {
    const error = Object.assign(new Error(), { code: 'ESOCKET', originalCode: 'ERR_SSL_BAD_RECORD_TYPE' });
    expect(smtpVerdict(error, 'sent')).toEqual({ result: 'unknown', code: 'ERR_SSL_BAD_RECORD_TYPE' });
  });

  it('fails temporarily when the connection is lost before the final dot', async () => {
    server.script(to, { drop: 'before the final dot' });
    const large = anEmail({ text: 'A line of text that is long enough.\n'.repeat(500_000) });
    expect(await sender.send('key', large)).toEqual({ result: 'failed', code: expect.any(String) });
  });

  it('pauses the channel when the server closes the connection', async () => {
    server.script(to, { atRecipient: '421 4.3.2 closing' });
    const fresh = smtpSender(server.url);
    expect(await fresh.send('key', anEmail())).toEqual({ result: 'paused', code: '4.3.2', waitMs: 30_000 });
    fresh.close();
  });

  it('is sent although the server closes idle connections', async () => {
    server.script(to, { atRecipient: '421 4.3.2 closing' });
    await sender.send('key', anEmail());
    server.script(to, undefined);
    expect(await sender.send('key', anEmail())).toMatchObject({ result: 'accepted' });
  });
});

describe('an SMTP server', () => {
  it.each(['smtp', 'smtps'])('that closes connections at once holds the channel (%s)', async (protocol) => {
    const closing = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => void closing.listen(0, '127.0.0.1', resolve));
    const other = smtpSender(`${protocol}://127.0.0.1:${String((closing.address() as AddressInfo).port)}`);
    const held = { result: 'held', code: expect.any(String), reason: 'unreachable' };
    expect(await other.send('key', anEmail())).toEqual(held);
    expect(await other.send('key', anEmail({ to: 'jörg@example.com' }))).toEqual(held);
    other.close();
    await new Promise((resolve) => void closing.close(resolve));
  });

  it('that refuses connections holds the channel', async () => {
    const gone = await aMailServer();
    await gone.close();
    const other = smtpSender(gone.url);
    expect(await other.send('key', anEmail())).toEqual({
      result: 'held',
      code: 'ECONNREFUSED',
      reason: 'unreachable',
    });
    other.close();
  });

  it.each([
    [554, 'No SMTP service here', { result: 'held', code: '554', reason: 'unreachable' }],
    [450, 'Too many connections', { result: 'held', code: '450', reason: 'unreachable' }],
    [421, 'Service not available', { result: 'paused', code: '421', waitMs: 30_000 }],
  ])('that greets with %i causes no refusal of a message', async (responseCode, text, verdict) => {
    const refusing = await aMailServer({
      onConnect: (_session, callback) => callback(Object.assign(new Error(text), { responseCode })),
    });
    const other = smtpSender(refusing.url);
    expect(await other.send('key', anEmail())).toEqual(verdict);
    other.close();
    await refusing.close();
  });

  it('that refuses the credentials holds the channel', async () => {
    const strict = await aMailServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: (_sent, _session, callback) => callback(new Error('wrong')),
    });
    const other = smtpSender(strict.url.replace('smtp://', 'smtp://user:secret@'));
    expect(await other.send('key', anEmail())).toMatchObject({
      result: 'held',
      reason: 'credentials-refused',
    });
    other.close();
    await strict.close();
  });

  it('whose certificate is not trusted holds the channel', async () => {
    const selfSigned = await aMailServer({ hideSTARTTLS: false });
    const other = smtpSender(selfSigned.url);
    expect(await other.send('key', anEmail())).toMatchObject({
      result: 'held',
      reason: 'certificate-refused',
    });
    expect(selfSigned.mails).toEqual([]);
    other.close();
    await selfSigned.close();
  });

  it('without SMTPUTF8 gets no mail for a local part beyond ASCII', async () => {
    const email = anEmail({ to: 'jörg@example.com' });
    expect(await sender.send('key', email)).toMatchObject({ result: 'accepted' });
    expect(server.mails.at(-1)).toMatchObject({ to: email.to });
    const old = await aMailServer({ hideSMTPUTF8: true });
    const other = smtpSender(old.url);
    const beyond = 'jörg@example.org';
    for (const changes of [{ to: email.to }, { from: { name: '', address: beyond } }, { replyTo: beyond }])
      expect(await other.send('key', anEmail(changes))).toEqual({
        result: 'refused',
        code: 'address-unsupported',
        addressUnknown: false,
      });
    expect(old.mails).toEqual([]);
    other.close();
    await old.close();
  });

  it('that does not report whether it offers SMTPUTF8 gets no mail for a local part beyond ASCII', async () => {
    let responds = false;
    const waking = await aMailServer({
      hideSMTPUTF8: true,
      onConnect: (_session, callback) => {
        const refusal = Object.assign(new Error('Too many connections'), { responseCode: 450 });
        // The next connection is accepted.
        callback(responds ? null : refusal);
        responds = true;
      },
    });
    const other = smtpSender(waking.url);
    const email = anEmail({ to: 'jörg@example.com' });
    expect(await other.send('key', email)).toEqual({ result: 'held', code: '450', reason: 'unreachable' });
    expect(await other.send('key', email)).toMatchObject({ result: 'refused', code: 'address-unsupported' });
    expect(waking.mails).toEqual([]);
    other.close();
    await waking.close();
  });

  it('that does not respond to a key’s mails delays only this key', async () => {
    const slow = 'slow@example.com';
    server.script(slow, 'hang');
    const waiting = Array.from({ length: 8 }, async () => sender.send('slow', anEmail({ to: slow })));
    expect(await sender.send('quick', anEmail())).toMatchObject({ result: 'accepted' });
    sender.close();
    expect(new Set((await Promise.all(waiting)).map(({ result }) => result))).not.toContain('accepted');
  });
});
