import { generateKeyPairSync } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../support/api.ts';
import { aClient, type TestClient } from '../support/client.ts';
import { aTenant, type TestTenant } from '../support/factories.ts';

const listed = await startTestApi();
const tenant = await aTenant(listed);
const { workspaceId } = tenant.workspace;
const api = await startTestApi({
  database: listed.database,
  environment: {
    STEWARD_SMTP_URL: 'smtp://127.0.0.1:1',
    STEWARD_MAIL_FROM: 'steward@deployment.example',
    STEWARD_MAIL_FROM_DOMAINS: `shared.example, own.example=${workspaceId}`,
    STEWARD_PUBLIC_URL: 'https://steward.example.com',
  },
});
afterAll(async () => {
  await api.close();
  await listed.close();
});

const email = '/v2/workspace/emailconfig';
const slack = '/v2/workspace/slackconfig';

interface EmailResult {
  readonly emailServiceConfig: object;
  readonly state: { readonly status: string; readonly reason: string | null; readonly since: number | null };
  readonly eventUrl: string | null;
  readonly warning?: string;
}

const updated = async (client: TestClient, emailServiceConfig: object): Promise<EmailResult> =>
  (await client.ok<EmailResult>(`${email}/update`, { useEmailService: true, emailServiceConfig })).data;

/** The key at the API with a mail server. */
const sending = (of: TestTenant = tenant): TestClient => aClient(api.url, of.headers);

describe('the e-mail configuration', () => {
  it('stores reply address, link, content and key of reports, and returns the URL for reports', async () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const members = {
      type: 'sendgrid',
      apiKey: 'SG.1',
      fromEmail: 'a@own.example',
      replyTo: 'replies@example.com',
      linkTemplate: 'https://app.example.com/d/{documentId}?n={notificationId}',
      includeContent: false,
      eventPublicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    };
    const result = await updated(sending(), members);
    expect(result).toMatchObject({
      emailServiceConfig: members,
      state: { status: 'ok', reason: null, since: null },
      eventUrl: expect.stringMatching(/^https:\/\/steward\.example\.com\/email\/events\/[\w-]{32}$/),
    });
    expect((await sending().ok<EmailResult>(`${email}/get`)).data).toEqual(result);
    expect((await updated(sending(), { includeContent: true })).eventUrl).toBe(result.eventUrl);
    expect((await updated(sending(), { type: 'default' })).eventUrl).toBeNull();
    expect((await tenant.ok<EmailResult>(`${email}/get`)).data.eventUrl).toBeNull();
  });

  it('stores in the row that 0.2.0 reads only members that 0.2.0 knows', async () => {
    await updated(sending(), { replyTo: 'replies@example.com' });
    const [row] = await api.database.sql<{ config: { emailServiceConfig: object } }>(
      `select config from key_config where api_key_id = $1 and kind = 'email'`,
      [tenant.id],
    );
    const known = ['type', 'fromEmail', 'fromCompany', 'commentTemplateId', 'tagTemplateId', 'triggers'];
    expect(Object.keys(row?.config ?? {})).toEqual(['useEmailService', 'emailServiceConfig']);
    expect(Object.keys(row?.config.emailServiceConfig ?? {}).toSorted()).toEqual(known.toSorted());
  });

  it.each([
    [{ linkTemplate: 'ftp://example.com' }, 'Please enter a valid URL'],
    [{ linkTemplate: 'https://{documentId}.example.com/' }, 'Please enter a valid URL'],
    [{ linkTemplate: 'https://example.com:{documentId}/' }, 'Please enter a valid URL'],
    [{ linkTemplate: 'https://{documentId}@example.com/' }, 'Please enter a valid URL'],
    [{ linkTemplate: 'https://a:{documentId}@example.com/' }, 'Please enter a valid URL'],
    [{ linkTemplate: `https://${'a'.repeat(64)}.example.com/` }, 'Please enter a valid URL'],
    [{ linkTemplate: `https://${'例'.repeat(64)}.example.com/` }, 'Please enter a valid URL'],
    [{ replyTo: 'nobody' }, 'emailServiceConfig.replyTo must be a valid e-mail address.'],
    [
      { replyTo: 'a@example.com\r\nBcc: b@example.com' },
      'emailServiceConfig.replyTo must be a valid e-mail address.',
    ],
    [{ eventPublicKey: 'AAAA' }, 'eventPublicKey must be a P-256 public key.'],
    [{ eventPublicKey: rsaKey() }, 'eventPublicKey must be a P-256 public key.'],
  ])('refuses %j', async (emailServiceConfig, message) => {
    expect(await sending().refused(`${email}/update`, { emailServiceConfig })).toMatchObject({
      http: 400,
      message,
    });
  });

  it('is held as not-confirmed when it was stored before Steward sent e-mails, until the next update', async () => {
    const upgraded = await aTenant(listed);
    const config = {
      useEmailService: true,
      emailServiceConfig: { type: 'default', triggers: { comment: {} } },
    };
    await api.database.sql(
      `insert into key_config (api_key_id, kind, config, first_enabled_at) values ($1, 'email', $2, now())`,
      [upgraded.id, JSON.stringify(config)],
    );
    const read = async () => (await sending(upgraded).ok<EmailResult>(`${email}/get`)).data.state;
    expect(await read()).toEqual({ status: 'held', reason: 'not-confirmed', since: null });
    await sending(upgraded).ok(`${email}/update`, { useEmailService: true });
    expect(await read()).toEqual({ status: 'ok', reason: null, since: null });
  });

  it.each([
    [{ type: 'sendgrid', apiKey: '' }, 'token-missing'],
    [{ type: 'sendgrid', apiKey: 'SG.1', fromEmail: '' }, 'from-missing'],
    [{ type: 'sendgrid', apiKey: 'SG.1', fromEmail: 'Ada <a@example.com>' }, 'from-missing'],
    [{ type: 'custom' }, null],
  ])('names the missing setting for %j', async (members, reason) => {
    expect((await updated(sending(), members)).state.reason).toBe(reason);
    await updated(sending(), { type: 'default', apiKey: '', fromEmail: '' });
  });

  it('is held when the deployment has no mail server, and warns that no public URL is set', async () => {
    const result = await updated(tenant, { type: 'default' });
    expect(result.state.reason).toBe('smtp-not-configured');
    expect(result.warning).toMatch(/STEWARD_PUBLIC_URL/);
  });

  it('returns why a provider holds deliveries, which are retried at once after an update', async () => {
    const since = new Date('2026-11-01T00:00:00Z');
    await api.database.sql(
      `insert into channel_state (api_key_id, channel, reason, since, next_try)
         values ($1, 1, 5, $2, now() + interval '1 hour')`,
      [tenant.id, since],
    );
    const { data } = await sending().ok<EmailResult>(`${email}/get`);
    expect(data.state).toEqual({ status: 'held', reason: 'credentials-refused', since: since.getTime() });
    expect((await updated(sending(), { type: 'default' })).state.status).toBe('ok');
  });
});

describe('an update during a pause that a provider requested', () => {
  it('shortens the pause to 30 s, because the provider may be another one', async () => {
    const paused = async () => (await sending().ok<EmailResult>(`${email}/get`)).data.state;
    const waits = async () =>
      (
        await api.database.sql<{ seconds: number }>(
          `select extract(epoch from next_try - now())::float8 as seconds from channel_state where api_key_id = $1`,
          [tenant.id],
        )
      ).map(({ seconds }) => seconds);
    await api.database.sql(
      `insert into channel_state (api_key_id, channel, reason, since, next_try)
         values ($1, 1, 8, now(), now() + interval '2 days')`,
      [tenant.id],
    );
    expect(await paused()).toMatchObject({ status: 'held', reason: 'paused' });
    await updated(sending(), { type: 'default' });
    const [first = Infinity, ...others] = await waits();
    expect([first <= 30, others]).toEqual([true, []]);
    await api.database.sql('delete from channel_state where api_key_id = $1', [tenant.id]);
  });
});

describe('the sender of a key', () => {
  it.each([
    ['ada@shared.example', false],
    ['ada@own.example', false],
    ['ada@OWN.example', false],
    ['ada@other.example', true],
    ['ada@sub.own.example', true],
    ['not an address', true],
  ])(
    'is the deployment’s address, with a warning, when its domain is not listed: %s',
    async (from, isWarned) => {
      const { warning } = await updated(sending(), { type: 'default', fromEmail: from });
      expect(warning !== undefined).toBe(isWarned);
    },
  );

  it('is not an address in a domain that is listed for another workspace', async () => {
    const { warning } = await updated(sending(await aTenant(listed)), { fromEmail: 'ada@own.example' });
    expect(warning).toMatch(/^E-mails are sent from the address of the deployment: /);
  });
});

describe('the Slack configuration', () => {
  it('returns the bot token masked, and refuses a masked token', async () => {
    const on = { useSlackService: true, slackServiceConfig: { botToken: 'xoxb-secret' } };
    const { data } = await tenant.ok<object>(`${slack}/update`, on);
    expect(data).toMatchObject({
      useSlackService: true,
      slackServiceConfig: {
        botToken: 'xoxb...xxxx',
        triggers: { comment: { 'comment.add': true }, huddle: { 'huddle.create': true } },
      },
      state: { status: 'ok', reason: null, since: null },
    });
    expect((await tenant.ok(`${slack}/get`)).data).toEqual(data);
    const masked = { slackServiceConfig: { botToken: 'xoxb...xxxx' } };
    expect(await tenant.refused(`${slack}/update`, masked)).toMatchObject({
      message: 'botToken must not be a masked value.',
    });
    expect(api.log.join('') + listed.log.join('')).not.toContain('xoxb-secret');
  });
});

function rsaKey(): string {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  return publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
}
