import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { slackSender, type SlackSender } from '../../../platform/senders/slack-sender.ts';
import { aFakeProvider, type FakeProvider, type ProviderReply } from '../../support/fake-provider.ts';

const token = 'xoxb-secret';
const message = {
  deliveryId: 'dlv_1',
  account: 'U1',
  text: 'Ada commented',
  blocks: [{ type: 'section', text: { type: 'plain_text', text: 'Ada commented' } }],
};
const json = (body: object, status = 200) => ({ status, body: JSON.stringify(body) });

const { signal: limit } = new AbortController();

let provider: FakeProvider;
let sender: SlackSender;
beforeAll(async () => {
  provider = await aFakeProvider(json({ ok: true, ts: '171.1', user: { id: 'U1' } }));
  sender = slackSender(`${provider.url}/api`);
});
afterAll(async () => {
  await sender.close();
  await provider.close();
});

describe('a message by Slack', () => {
  it('goes to one account, without link previews', async () => {
    expect(await sender.send(token, message, limit)).toEqual({
      result: 'accepted',
      code: 'ok',
      reference: '171.1',
    });
    const [{ path, headers, body } = { path: '', headers: {}, body: '{}' }] = provider.calls;
    expect(path).toBe('/api/chat.postMessage');
    expect(headers['authorization']).toBe('Bearer xoxb-secret');
    expect(JSON.parse(body)).toEqual({
      channel: 'U1',
      text: message.text,
      blocks: message.blocks,
      unfurl_links: false,
      unfurl_media: false,
      metadata: { event_type: 'steward_notification', event_payload: { deliveryId: 'dlv_1' } },
    });
  });

  it.each<[string, ProviderReply, object]>([
    [
      'is refused when no user has the account',
      json({ ok: false, error: 'user_not_found' }),
      { result: 'refused', code: 'user_not_found', addressUnknown: false },
    ],
    [
      'holds the channel when the token is revoked',
      json({ ok: false, error: 'token_revoked' }),
      { result: 'held', code: 'token_revoked', reason: 'credentials-refused' },
    ],
    [
      'pauses when Slack limits the rate',
      { status: 429, headers: { 'retry-after': '3' }, body: '{"ok":false,"error":"ratelimited"}' },
      { result: 'paused', code: 'ratelimited', waitMs: 3_000 },
    ],
    ['has failed for now after 503', json({}, 503), { result: 'failed', code: '503' }],
    [
      'has failed for now after an error that is no name',
      json({ ok: false, error: 'Ada Lovelace is away!' }),
      { result: 'failed', code: '200' },
    ],
    [
      'has failed for now after a body that is not JSON',
      { status: 200, body: '<html>' },
      { result: 'failed', code: '200' },
    ],
    ['may have arrived when the connection is lost', 'drop', { result: 'unknown', code: expect.any(String) }],
    [
      'may have arrived when the connection is lost within the body',
      { ...json({ ok: true }), headers: { 'content-length': '100' } },
      { result: 'unknown', code: 'ECONNECTION' },
    ],
    [
      'is accepted when the response repeats 200 KiB of blocks',
      json({ ok: true, ts: '171.2', message: 'x'.repeat(204_800) }),
      { result: 'accepted', code: 'ok', reference: '171.2' },
    ],
    [
      'is accepted when the response is too large to read',
      json({ ok: true, ts: '171.3', message: 'x'.repeat(2_097_152) }),
      { result: 'accepted', code: 'ok', reference: null },
    ],
    ...['171.\u0000', 'just now', '1'.repeat(65)].map((ts): [string, ProviderReply, object] => [
      `is accepted without a reference when the response has the time ${JSON.stringify(ts)}`,
      json({ ok: true, ts }),
      { result: 'accepted', code: 'ok', reference: null },
    ]),
    [
      'has failed for now after a large 503',
      { status: 503, body: 'x'.repeat(2_097_152) },
      { result: 'failed', code: '503' },
    ],
  ])('%s', async (_name, reply, verdict) => {
    provider.reply(() => reply);
    expect(await sender.send(token, message, limit)).toEqual(verdict);
  });
});

describe.each(['xoxb-secret\n', 'xoxb secret', 'xoxb-sécret'])(
  'a bot token that no header carries: %j',
  (unsent) => {
    const verdict = { result: 'held', code: 'credentials-refused', reason: 'credentials-refused' };

    it('holds the channel, and nothing is sent', async () => {
      const before = provider.calls.length;
      expect(await sender.send(unsent, message, limit)).toEqual(verdict);
      expect(await sender.findAccount(unsent, 'ada@example.com', limit)).toEqual(verdict);
      expect(provider.calls).toHaveLength(before);
    });
  },
);

describe('a Slack account', () => {
  it('is found by its e-mail address', async () => {
    provider.reply(() => json({ ok: true, user: { id: 'U7' } }));
    expect(await sender.findAccount(token, 'ada@example.com', limit)).toEqual({ slackId: 'U7' });
    expect(provider.calls.at(-1)).toMatchObject({
      path: '/api/users.lookupByEmail',
      body: 'email=ada%40example.com',
    });
  });

  it('is missing when Slack has no user with the address', async () => {
    provider.reply(() => json({ ok: false, error: 'users_not_found' }));
    expect(await sender.findAccount(token, 'ada@example.com', limit)).toEqual({ slackId: null });
  });

  it.each(['U\u00007', '', 'U'.repeat(65)])('is missing when Slack has the id %j', async (id) => {
    provider.reply(() => json({ ok: true, user: { id } }));
    expect(await sender.findAccount(token, 'ada@example.com', limit)).toEqual({ slackId: null });
  });

  it('is unknown while Slack limits the request rate', async () => {
    provider.reply(() => ({ status: 429, headers: { 'retry-after': '3' } }));
    expect(await sender.findAccount(token, 'ada@example.com', limit)).toEqual({
      result: 'paused',
      code: '429',
      waitMs: 3_000,
    });
  });

  it('may be found later when the connection is lost: no message was sent', async () => {
    provider.reply(() => 'drop');
    expect(await sender.findAccount(token, 'ada@example.com', limit)).toEqual({
      result: 'failed',
      code: expect.any(String),
    });
  });
});
