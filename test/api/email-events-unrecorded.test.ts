import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { finalStatuses, reasonNumbers } from '../../domain/notices/statuses.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { deadlockOnce } from '../support/deadlock-once.ts';
import { freshId, type TestTenant } from '../support/factories.ts';
import { aFakeProvider, type FakeProvider } from '../support/fake-provider.ts';
import { aReportKey, signedHeaders } from '../support/sendgrid-reports.ts';
import { aMailingTenant, logOf, notified, sendersOf, waitingOf } from '../support/senders.ts';
import { explain, isTransactionCommand, statementsOf } from '../support/statements.ts';

const { publicKey, privateKey } = aReportKey();
const minute = 60_000;

let api: TestApi;
let provider: FakeProvider;
let senders: ReturnType<typeof sendersOf>;
let tenant: TestTenant;
let url: string;

beforeAll(async () => {
  api = await startTestApi({ environment: { STEWARD_PUBLIC_URL: 'https://steward.test' } });
  provider = await aFakeProvider({ status: 202 });
  senders = sendersOf(api, undefined, { messaging: { sendGridUrl: `${provider.url}/v3` } });
});
afterAll(async () => {
  await senders.close();
  await provider.close();
  await api.close();
});

async function report(event: object, of = url): Promise<number> {
  const body = JSON.stringify([event]);
  return (await fetch(of, { method: 'POST', body, headers: signedHeaders(body, { privateKey }) })).status;
}

/** An e-mail of a new key that SendGrid has accepted, and whose response was lost. */
async function accepted() {
  tenant = await aMailingTenant(
    api,
    {},
    { type: 'sendgrid', apiKey: freshId('SG'), fromEmail: 'team@acme.test', eventPublicKey: publicKey },
  );
  const { data } = await tenant.ok<{ eventUrl: string }>('/v2/workspace/emailconfig/get');
  url = api.url + new URL(data.eventUrl).pathname;
  const email = `${freshId('ben')}@users.test`;
  await notified(tenant, { notifyUsers: [{ userId: 'ben', email }] });
  provider.reply(() => 'drop');
  await senders.turn(tenant);
  provider.reply(() => ({ status: 202 }));
  const [{ delivery } = { delivery: '' }] = await api.database.sql<{ delivery: string }>(
    'select public_id as delivery from outgoing where api_key_id = $1',
    [tenant.id],
  );
  return { email, delivery };
}

const attempts = [{ number: 1, outcome: 'unknown' }];

/** Sends what is due in an hour. Returns the number of requests to SendGrid. */
async function requestsLater(): Promise<number> {
  const before = provider.calls.length;
  await senders.turn(tenant, 60 * minute);
  return provider.calls.length - before;
}

async function suppressionOf(email: string): Promise<string | null> {
  const { data } = await tenant.ok<Record<string, { reason: string | null }>>(
    '/v2/workspace/emailsuppressions/get',
    { emails: [email] },
  );
  return data[email]?.reason ?? null;
}

describe('a report about an e-mail whose attempt got no response', () => {
  it.each([
    ['delivered', 'delivered', null],
    ['bounce', 'bounced', 'bounced'],
    ['dropped', 'failed', null],
    ['spamreport', 'complained', 'complained'],
  ] as const)('%s ends it, and no second e-mail is sent', async (event, status, suppressed) => {
    const { email, delivery } = await accepted();
    expect(await report({ event, email, delivery })).toBe(200);
    const reason = status === 'failed' ? reasonNumbers.refused : null;
    const ended = [{ status: finalStatuses[status], reason, items: 1, attempts }];
    expect(await logOf(api, tenant)).toMatchObject(ended);
    expect(await suppressionOf(email)).toBe(suppressed);
    expect(await waitingOf(api, tenant)).toEqual({ notices: 0, windows: 0, outgoing: 0 });
    expect(await requestsLater()).toBe(0);
    expect(await report({ event, email, delivery })).toBe(200);
    expect(await logOf(api, tenant)).toMatchObject(ended);
  });

  it('ends it also after the claim of a killed worker has lapsed, and waits for it before', async () => {
    const { email, delivery } = await accepted();
    const claimUntil = async (seconds: number) =>
      api.database.sql(
        `update outgoing set claimed_until = now() + $2 * interval '1 second' where api_key_id = $1`,
        [tenant.id, seconds],
      );
    await claimUntil(3_600);
    expect(await report({ event: 'bounce', email, delivery })).toBe(503);
    expect(await suppressionOf(email)).toBeNull();
    await claimUntil(-1);
    expect(await report({ event: 'bounce', email, delivery })).toBe(200);
    expect(await logOf(api, tenant)).toMatchObject([{ status: finalStatuses.bounced, attempts }]);
    expect(await suppressionOf(email)).toBe('bounced');
    expect(await requestsLater()).toBe(0);
  });

  it('ends it also after a deadlock', async () => {
    const { email, delivery } = await accepted();
    const refused = await deadlockOnce(api.database, 'delivery_log');
    expect(await report({ event: 'delivered', email, delivery })).toBe(200);
    expect(await refused()).toBe(true);
    expect(await requestsLater()).toBe(0);
  });

  it('leaves it unclaimed when its end cannot be recorded, so that a repeated report ends it', async () => {
    const { email, delivery } = await accepted();
    await api.database.sql(
      'alter table delivery_log add constraint refused check (api_key_id <= 0) not valid',
    );
    expect(await report({ event: 'bounce', email, delivery })).toBeGreaterThanOrEqual(500);
    await api.database.sql('alter table delivery_log drop constraint refused');
    expect(
      await api.database.sql('select claimed_until from outgoing where api_key_id = $1', [tenant.id]),
    ).toEqual([{ claimed_until: null }]);
    expect(await report({ event: 'bounce', email, delivery })).toBe(200);
    expect(await requestsLater()).toBe(0);
  });

  it('does not end the delivery of another key, or one without an attempt', async () => {
    const { email, delivery } = await accepted();
    const others = url;
    const later = await accepted();
    expect(await report({ event: 'delivered', email, delivery })).toBe(200);
    await api.database.sql(`update outgoing set attempts = '[]' where public_id = $1`, [later.delivery]);
    expect(await report({ event: 'delivered', ...later })).toBe(200);
    expect(await waitingOf(api, tenant)).toMatchObject({ notices: 1, outgoing: 1 });
    expect(await requestsLater()).toBe(1);
    expect(await report({ event: 'delivered', email, delivery }, others)).toBe(200);
  });

  it('is applied by statements that search indexes', async () => {
    const { email, delivery } = await accepted();
    const sent = await statementsOf(async () => report({ event: 'bounce', email, delivery }));
    await api.database.sql(
      `insert into outgoing (public_id, api_key_id, org_id, user_id, channel, digest, attempts, next_at)
       select 'filler-' || n, $1, -n % 50, -n, 1, false, '[{}]', now() from generate_series(1, 5000) n`,
      [tenant.id],
    );
    await api.database.sql('analyze outgoing');
    const statements = sent.filter((one) => one.text.includes('outgoing') && !isTransactionCommand(one));
    expect(statements.length).toBeGreaterThanOrEqual(3);
    for (const statement of statements) {
      const { indexes, wholeTables } = await explain(api.database, statement);
      expect(wholeTables).not.toContain('outgoing');
      expect(indexes).not.toContain('outgoing_due');
    }
  });
});
