import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sendGridSender, type SendGridSender } from '../../../platform/senders/sendgrid-sender.ts';
import { waitOf } from '../../../platform/senders/provider-request.ts';
import { aFakeProvider, type FakeProvider, type ProviderReply } from '../../support/fake-provider.ts';

const email = {
  messageId: '<dlv_1@example.org>',
  from: { name: 'Ada via Acme', address: 'noreply@example.org' },
  to: 'reader@example.com',
  replyTo: 'team@example.org',
  subject: 'Ada commented',
  text: 'See the plan.',
  html: '<p>See the plan.</p>',
  headers: { 'Auto-Submitted': 'auto-generated' },
};
const message = { apiKey: 'SG.secret', deliveryId: 'dlv_1', email };

let provider: FakeProvider;
let sender: SendGridSender;
beforeAll(async () => {
  provider = await aFakeProvider({ status: 202, headers: { 'x-message-id': 'sg-1' } });
  sender = sendGridSender(`${provider.url}/v3`);
});
afterAll(async () => {
  await sender.close();
  await provider.close();
});

describe('the time to wait', () => {
  const now = Date.UTC(2030, 0, 1);
  const waitedMs = (headers: Record<string, string>) =>
    waitOf({ status: 429, headers, body: '' }, 'x-ratelimit-reset', now);

  it.each([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': 'Tue, 01 Jan 2030 00:00:09 GMT' }, 9_000],
    [{ 'x-ratelimit-reset': String(now / 1_000 + 3) }, 3_000],
    [{ 'retry-after': '0', 'x-ratelimit-reset': String(now / 1_000 + 3) }, 3_000],
    // Otherwise a sender would retry at once, again and again.
    [{ 'retry-after': '0' }, undefined],
    [{ 'retry-after': 'Mon, 31 Dec 2029 00:00:00 GMT' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'x-ratelimit-reset': String(now / 1_000 - 3) }, undefined],
  ])('of a response with %j is %p ms, undefined without a time in the future', (headers, ms) => {
    expect(waitedMs(headers)).toBe(ms);
  });
});

describe('an e-mail by SendGrid', () => {
  it('is one request with one recipient, without tracking', async () => {
    expect(await sender.send(message)).toEqual({ result: 'accepted', code: '202', reference: 'sg-1' });
    const [{ path, headers, body } = { path: '', headers: {}, body: '{}' }] = provider.calls;
    expect(path).toBe('/v3/mail/send');
    expect(headers['authorization']).toBe('Bearer SG.secret');
    expect(JSON.parse(body)).toEqual({
      personalizations: [{ to: [{ email: 'reader@example.com' }], custom_args: { delivery: 'dlv_1' } }],
      from: { email: 'noreply@example.org', name: 'Ada via Acme' },
      reply_to: { email: 'team@example.org' },
      subject: 'Ada commented',
      content: [
        { type: 'text/plain', value: 'See the plan.' },
        { type: 'text/html', value: '<p>See the plan.</p>' },
      ],
      headers: { 'Auto-Submitted': 'auto-generated' },
      tracking_settings: {
        click_tracking: { enable: false, enable_text: false },
        open_tracking: { enable: false },
      },
    });
  });

  it('has no content of its own when a template is set', async () => {
    await sender.send({ ...message, template: { templateId: 'd-1', data: { name: 'Ada' } } });
    const body = JSON.parse(provider.calls.at(-1)?.body ?? '{}') as Record<string, unknown>;
    expect(body).toMatchObject({
      template_id: 'd-1',
      personalizations: [{ dynamic_template_data: { name: 'Ada' } }],
    });
    expect(body).not.toHaveProperty('content');
    expect(body).not.toHaveProperty('subject');
  });

  it.each<[string, ProviderReply, object]>([
    ['is refused by 400', { status: 400 }, { result: 'refused', code: '400', addressUnknown: false }],
    ['is refused by 413', { status: 413 }, { result: 'refused', code: '413', addressUnknown: false }],
    [
      'holds the channel after 401',
      { status: 401 },
      { result: 'held', code: '401', reason: 'credentials-refused' },
    ],
    [
      'holds the channel after 403',
      { status: 403 },
      { result: 'held', code: '403', reason: 'credentials-refused' },
    ],
    ['has failed for now after 408', { status: 408 }, { result: 'failed', code: '408' }],
    ['has failed for now after 503', { status: 503 }, { result: 'failed', code: '503' }],
    ['has failed for now after 404', { status: 404 }, { result: 'failed', code: '404' }],
    ['has failed for now after 307', { status: 307 }, { result: 'failed', code: '307' }],
    [
      'pauses for Retry-After',
      { status: 429, headers: { 'retry-after': '7' } },
      { result: 'paused', code: '429', waitMs: 7_000 },
    ],
    [
      'pauses for the first of several Retry-After headers',
      { status: 429, headers: { 'retry-after': ['7', '9'] } },
      { result: 'paused', code: '429', waitMs: 7_000 },
    ],
    ['pauses for 30 s without one', { status: 429 }, { result: 'paused', code: '429', waitMs: 30_000 }],
    [
      'pauses for a day when SendGrid requests it',
      { status: 429, headers: { 'retry-after': '86400' } },
      { result: 'paused', code: '429', waitMs: 86_400_000 },
    ],
    [
      'pauses for 72 hours at most',
      { status: 429, headers: { 'retry-after': '999999999' } },
      { result: 'paused', code: '429', waitMs: 259_200_000 },
    ],
    [
      'is refused by 400 with a large body',
      { status: 400, body: 'x'.repeat(200_000) },
      { result: 'refused', code: '400', addressUnknown: false },
    ],
    [
      'is accepted by 202 when the connection is lost within the body',
      { status: 202, headers: { 'content-length': '100', 'x-message-id': 'sg-2' }, body: 'x' },
      { result: 'accepted', code: '202', reference: 'sg-2' },
    ],
    ['may have arrived when the connection is lost', 'drop', { result: 'unknown', code: expect.any(String) }],
  ])('%s', async (_name, reply, verdict) => {
    provider.reply(() => reply);
    expect(await sender.send(message)).toEqual(verdict);
  });

  it('pauses the channel until the reset of the rate limit', async () => {
    const reset = String(Math.ceil(Date.now() / 1_000) + 600);
    provider.reply(() => ({ status: 429, headers: { 'x-ratelimit-reset': reset } }));
    const verdict = await sender.send(message);
    expect(verdict).toMatchObject({ result: 'paused' });
    expect((verdict as { waitMs: number }).waitMs).toBeGreaterThan(300_000);
  });

  it.each(['SG.secret\n', 'SG. secret', 'SG.sécret'])(
    'holds the channel and sends nothing with the key %j, which no header carries',
    async (apiKey) => {
      const before = provider.calls.length;
      expect(await sender.send({ ...message, apiKey })).toEqual({
        result: 'held',
        code: 'credentials-refused',
        reason: 'credentials-refused',
      });
      expect(provider.calls).toHaveLength(before);
    },
  );

  it('holds the channel when nothing listens', async () => {
    const gone = await aFakeProvider({ status: 202 });
    await gone.close();
    const other = sendGridSender(gone.url);
    expect(await other.send(message)).toEqual({
      result: 'held',
      code: 'ECONNREFUSED',
      reason: 'unreachable',
    });
    await other.close();
  });
});
