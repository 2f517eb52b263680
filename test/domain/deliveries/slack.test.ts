import { mock } from 'node:test';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { finalStatuses, heldReasons, reasonNumbers } from '../../../domain/notices/statuses.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { aDocument, aTenant, freshId, type TestTenant } from '../../support/factories.ts';
import { aFakeProvider, type FakeProvider } from '../../support/fake-provider.ts';
import { logOf, notifiedIn, sendersOf, waitingOf } from '../../support/senders.ts';
import { statementsOf } from '../../support/statements.ts';

let api: TestApi;
let slack: FakeProvider;
let senders: ReturnType<typeof sendersOf>;

const json = (body: object, status = 200) => ({ status, body: JSON.stringify(body) });
const accepts = json({ ok: true, ts: '171.1', user: { id: 'U7' } });

beforeAll(async () => {
  api = await startTestApi();
  slack = await aFakeProvider(accepts);
  senders = sendersOf(api, undefined, { messaging: { slackUrl: `${slack.url}/api` } });
});
afterAll(async () => {
  await senders.close();
  await slack.close();
  await api.close();
});

const hour = 3_600_000;
const day = 24 * hour;
const nothing = { notices: 0, windows: 0, outgoing: 0 };

interface Message {
  readonly channel: string;
  readonly text: string;
  readonly blocks: readonly { readonly type: string; readonly text?: object; readonly elements?: object[] }[];
}

/** A key with its own Slack bot, whose token distinguishes its calls. */
async function aSlackTenant(batchConfig?: object) {
  const tenant = await aTenant(api);
  const botToken = freshId('xoxb');
  await tenant.ok('/v2/workspace/notificationconfig/update', {
    useNotificationService: true,
    ...(batchConfig !== undefined && { notificationServiceConfig: { batchConfig } }),
  });
  const configure = async (slackServiceConfig: object): Promise<void> => {
    await tenant.ok('/v2/workspace/slackconfig/update', { useSlackService: true, slackServiceConfig });
  };
  await configure({ botToken });
  const location = await aDocument(tenant);
  const { organizationId } = location;
  await tenant.ok('/v2/users/add', { organizationId, users: [{ userId: 'ben' }] });
  await tenant.ok('/v2/notifications/config/set', {
    organizationId,
    userIds: ['ben'],
    config: { slack: 'ALL' },
  });
  const callsOf = (method: string) =>
    slack.calls.filter(
      ({ path, headers }) =>
        path === `/api/${method}` && headers.authorization?.startsWith(`Bearer ${botToken}`),
    );
  return {
    tenant,
    organizationId,
    botToken,
    configure,
    add: async (headline = 'Ready', others: object = {}) =>
      notifiedIn(tenant, location, { displayHeadlineMessageTemplate: headline, ...others }),
    turn: async (inMs = 0) => senders.turn(tenant, inMs, 'slack'),
    lookups: () => callsOf('users.lookupByEmail').map(({ body }) => body),
    messages: () => callsOf('chat.postMessage').map(({ body }) => JSON.parse(body) as Message),
  };
}

const heldOf = async (tenant: TestTenant) =>
  (
    await api.database.sql<{ reason: number }>('select reason from channel_state where api_key_id = $1', [
      tenant.id,
    ])
  ).map(({ reason }) => reason);

/** Makes deliveries of a reader, or of a held channel, due at once. */
async function waited({ id }: TestTenant): Promise<void> {
  await api.database.sql('update channel_state set next_try = now() where api_key_id = $1', [id]);
  await api.database.sql('update outgoing set next_at = now() where api_key_id = $1', [id]);
}

const remembered = async ({ id }: TestTenant) =>
  api.database.sql<{ slack_id: string | null }>('select slack_id from slack_identity where api_key_id = $1', [
    id,
  ]);

describe('a notification by Slack', () => {
  it('goes to the account of the address, with texts of users as plain text only', async () => {
    const { tenant, add, turn, lookups, messages } = await aSlackTenant();
    await add('<!channel> *Ready* & <https://evil.test|here>', { displayBodyMessage: '<@U1> _look_' });
    await turn();
    expect(lookups()).toEqual(['email=ben%40users.test']);
    expect(messages()).toMatchObject([
      {
        channel: 'U7',
        text: '&lt;!channel&gt; *Ready* &amp; &lt;https://evil.test|here&gt;',
        blocks: [
          {
            type: 'section',
            text: {
              type: 'plain_text',
              text: '<!channel> *Ready* & <https://evil.test|here>\n<@U1> _look_',
              emoji: false,
            },
          },
        ],
      },
    ]);
    expect(JSON.stringify(messages())).not.toContain('mrkdwn');
    expect(await logOf(api, tenant)).toMatchObject([
      { status: finalStatuses.sent, attempts: [{ number: 1, outcome: 'accepted' }] },
    ]);
    expect(await waitingOf(api, tenant)).toEqual(nothing);
  });

  it('goes to the account in the metadata of the user without a lookup', async () => {
    const { tenant, add, turn, lookups, messages } = await aSlackTenant();
    await add('Ready', { notifyUsers: [{ userId: 'ben' }] });
    await api.database.sql(
      `update app_user set metadata = '{"slackUserId": "U42"}' where api_key_id = $1 and ext_id = 'ben'`,
      [tenant.id],
    );
    await turn();
    expect(lookups()).toEqual([]);
    expect(messages()).toMatchObject([{ channel: 'U42' }]);
  });

  it('is skipped when no user of the Slack workspace has the address', async () => {
    slack.reply(({ path }) =>
      path.endsWith('users.lookupByEmail') ? json({ ok: false, error: 'users_not_found' }) : accepts,
    );
    const { tenant, add, turn, lookups, messages } = await aSlackTenant();
    await add();
    await turn();
    await add();
    await turn();
    slack.reply(() => accepts);
    expect(messages()).toEqual([]);
    expect(lookups()).toHaveLength(1);
    const skipped = { status: finalStatuses.skipped, reason: reasonNumbers['no-address'] };
    expect(await logOf(api, tenant)).toMatchObject([skipped, skipped]);
    expect(await remembered(tenant)).toEqual([{ slack_id: null }]);
  });

  it('is sent a second after the previous one to the same user', async () => {
    const { tenant, add, turn, messages } = await aSlackTenant();
    await add('First');
    await add('Second');
    await turn();
    expect(messages().map(({ text }) => text)).toEqual(['First', 'Second']);
    expect(await logOf(api, tenant)).toMatchObject([
      { attempts: [{ number: 1, outcome: 'accepted' }] },
      { attempts: [{ number: 1, outcome: 'accepted' }] },
    ]);
  });
});

describe('the time of an attempt by Slack', () => {
  afterEach(() => {
    mock.restoreAll();
    slack.reply(() => accepts);
  });

  const late = new DOMException('late', 'TimeoutError');
  const attemptsOf = async ({ id }: TestTenant) =>
    api.database.sql<{ outcome: string; code: string }>(
      `select a.outcome, a.code from outgoing o
         cross join json_to_recordset(o.attempts) as a (outcome text, code text) where o.api_key_id = $1`,
      [id],
    );

  it('is that of the lookup and of the message together', async () => {
    const { tenant, add, turn, lookups, messages } = await aSlackTenant();
    await add();
    const limits: AbortController[] = [];
    mock.method(AbortSignal, 'timeout', () => {
      const limit = new AbortController();
      limits.push(limit);
      return limit.signal;
    });
    slack.reply(({ path }) => {
      if (path.endsWith('chat.postMessage')) limits[0]?.abort(late);
      return accepts;
    });
    await turn();
    expect([lookups().length, messages().length]).toEqual([1, 1]);
    expect(await attemptsOf(tenant)).toEqual([{ outcome: 'unknown', code: 'ETIMEDOUT' }]);
  });

  it('has passed before the message, which is not sent', async () => {
    const { tenant, add, turn, messages } = await aSlackTenant();
    await add();
    await api.database.sql(
      `update app_user set metadata = '{"slackUserId": "U42"}' where api_key_id = $1 and ext_id = 'ben'`,
      [tenant.id],
    );
    mock.method(AbortSignal, 'timeout', () => AbortSignal.abort(late));
    await turn();
    expect(messages()).toEqual([]);
    expect(await attemptsOf(tenant)).toEqual([{ outcome: 'failed', code: 'ETIMEDOUT' }]);
  });
});

describe('the Slack account of a user', () => {
  it('is looked up once in 30 days, and again only after an update of the token or of the address', async () => {
    const { tenant, botToken, configure, add, turn, lookups, messages } = await aSlackTenant();
    const sendAnother = async (): Promise<void> => {
      await add();
      await turn();
    };
    await sendAnother();
    await sendAnother();
    expect(lookups()).toHaveLength(1);
    await api.database.sql(
      'update slack_identity set found_at = found_at - $2::interval where api_key_id = $1',
      [tenant.id, '31 days'],
    );
    await sendAnother();
    expect(lookups()).toHaveLength(2);
    await configure({ includeContent: false });
    await sendAnother();
    expect(lookups()).toHaveLength(2);
    await configure({ botToken: `${botToken}-rotated` });
    await sendAnother();
    expect(lookups()).toHaveLength(3);
    const notifyUsers = [{ userId: 'ben', email: 'benny@users.test' }];
    for (let nth = 0; nth < 2; nth += 1) {
      await add('Ready', { notifyUsers });
      await turn();
    }
    expect(lookups().slice(3)).toEqual(['email=benny%40users.test']);
    expect(messages()).toHaveLength(7);
  });
});

describe('the Slack accounts of a claim', () => {
  it('are read by one statement', async () => {
    const { tenant, organizationId, add, turn, lookups, messages } = await aSlackTenant();
    const users = ['ann', 'eve'].map((userId) => ({ userId, email: `${userId}@users.test` }));
    await tenant.ok('/v2/users/add', { organizationId, users });
    const config = { slack: 'ALL' };
    await tenant.ok('/v2/notifications/config/set', { organizationId, userIds: ['ann', 'eve'], config });
    await add('Ready', { notifyUsers: users });
    const statements = await statementsOf(async () => turn());
    expect([lookups().length, messages().length]).toEqual([2, 2]);
    expect(statements.filter(({ text }) => text.includes('from slack_identity'))).toHaveLength(1);
  });
});

describe('the Slack channel of a key', () => {
  it.each(['users.lookupByEmail', 'chat.postMessage'])(
    'pauses as long as Slack requests when %s is limited, without counting an attempt',
    async (method) => {
      slack.reply(({ path }) =>
        path.endsWith(method)
          ? { ...json({ ok: false, error: 'ratelimited' }, 429), headers: { 'retry-after': '120' } }
          : accepts,
      );
      const { tenant, add, turn, messages } = await aSlackTenant();
      await add();
      const { nextIn = 0, counts } = await turn();
      slack.reply(() => accepts);
      expect(counts).toMatchObject({ held: true, waiting: 1 });
      expect(nextIn).toBeGreaterThan(60_000);
      expect(nextIn).toBeLessThanOrEqual(120_000);
      expect(await heldOf(tenant)).toEqual([heldReasons.paused]);
      const refused = messages().length;
      await waited(tenant);
      await turn(2_000);
      expect(messages()).toHaveLength(refused + 1);
      expect(await logOf(api, tenant)).toMatchObject([{ attempts: [{ number: 1, outcome: 'accepted' }] }]);
      expect(await heldOf(tenant)).toEqual([]);
    },
  );

  it('is held while its token is revoked, and sends at once after an update', async () => {
    slack.reply(() => json({ ok: false, error: 'token_revoked' }));
    const { tenant, botToken, configure, add, turn, messages } = await aSlackTenant();
    await add();
    const { nextIn = 0 } = await turn();
    slack.reply(() => accepts);
    expect(nextIn).toBeGreaterThan(hour / 10);
    expect(await heldOf(tenant)).toEqual([heldReasons['credentials-refused']]);
    await configure({ botToken: `${botToken}-new` });
    expect(await heldOf(tenant)).toEqual([]);
    await waited(tenant);
    await turn(2_000);
    expect(messages()).toHaveLength(1);
    expect(await logOf(api, tenant)).toMatchObject([{ attempts: [{ number: 1, outcome: 'accepted' }] }]);
  });

  it('is held without a token', async () => {
    const { tenant, configure, add, turn } = await aSlackTenant();
    await configure({ botToken: '' });
    await add();
    const { counts } = await turn();
    expect(counts).toMatchObject({ held: true, waiting: 1 });
    expect(await heldOf(tenant)).toEqual([heldReasons['token-missing']]);
  });
});

describe('a digest by Slack', () => {
  it('shows 20 notifications and counts the rest', async () => {
    const off = { isEnabled: false, batchWindowSeconds: 10, maxActivities: 2 };
    const user = { isEnabled: true, batchWindowSeconds: 3_600, maxActivities: 50 };
    const { tenant, add, turn, messages } = await aSlackTenant({ document: off, user });
    const headlines = Array.from({ length: 23 }, (_, index) => `Item ${String(index + 1)}.`);
    for (const headline of headlines) await add(headline);
    await api.database.sql('update document set name = $2 where api_key_id = $1', [
      tenant.id,
      'Plan \u202ecod\u0007 of\nMay',
    ]);
    await turn();
    await turn(day);
    const [{ text, blocks } = { text: '', blocks: [] }, ...others] = messages();
    expect(others).toEqual([]);
    expect(text).toMatch(/^23 updates in Plan [^\p{Cc}\p{Cf}]*May$/u);
    expect(blocks).toHaveLength(22);
    expect(
      blocks.every(({ text: shown }) => shown !== undefined && JSON.stringify(shown).includes('plain_text')),
    ).toBe(true);
    expect(blocks[1]).toMatchObject({ text: { text: expect.stringContaining('Item 1.') } });
    expect(blocks[20]).toMatchObject({ text: { text: expect.stringContaining('Item 20.') } });
    expect(blocks[21]).toMatchObject({ text: { text: 'and 3 more' } });
    expect(await logOf(api, tenant)).toMatchObject([{ status: finalStatuses.sent, digest: true, items: 23 }]);
  });
});
