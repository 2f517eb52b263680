import { afterAll, describe, expect, it } from '@jest/globals';
import { publicTokenKeys } from '../../domain/signing/token-keys.ts';
import { currentUnsubscribeKey, sealUnsubscribeToken } from '../../domain/signing/unsubscribe-tokens.ts';
import { advisoryLocks } from '../../platform/database/advisory-locks.ts';
import { startTestApi } from '../support/api.ts';
import { aPage } from '../support/console.ts';
import { eventually } from '../support/eventually.ts';
import { aDocument, anOperator, anOrganization, aTenant, type TestTenant } from '../support/factories.ts';
import { aReportKey, signedHeaders } from '../support/sendgrid-reports.ts';
import { aMailingTenant } from '../support/senders.ts';
import { statementsOf } from '../support/statements.ts';

const poolSize = 4;
const api = await startTestApi({
  environment: { DATABASE_POOL_SIZE: String(poolSize), STEWARD_PUBLIC_URL: 'https://steward.test' },
});
afterAll(api.close);
const neighbor = await aTenant(api);
const { publicKey, privateKey } = aReportKey();

/** A key that sends through SendGrid, and a function that posts a signed report to its URL. */
async function aReporter() {
  const email = {
    type: 'sendgrid',
    apiKey: 'SG.test',
    fromEmail: 'team@acme.test',
    eventPublicKey: publicKey,
  };
  const tenant = await aMailingTenant(api, {}, email);
  const { data } = await tenant.ok<{ eventUrl: string }>('/v2/workspace/emailconfig/get');
  const url = api.url + new URL(data.eventUrl).pathname;
  const body = JSON.stringify([{ event: 'delivered', delivery: `dlv_${'A'.repeat(32)}` }]);
  const report = async () =>
    fetch(url, { method: 'POST', body, headers: signedHeaders(body, { privateKey }) });
  return { tenant, report };
}

const waitingForLocks = async (): Promise<number> => {
  const waiting = await api.database.sql(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return waiting.length;
};

/** The calls that end while a lock blocks all of them and a neighbor writes, and the statuses after its release. */
async function besideANeighbor(lock: string, call: () => Promise<{ readonly status: number }>) {
  const blocker = await api.database.connect();
  await blocker.query('begin');
  await blocker.query(lock);
  let ended = 0;
  const calls = Array.from({ length: 20 }, async () => {
    const { status } = await call();
    ended += 1;
    return status;
  });
  await eventually(async () => (await waitingForLocks()) >= poolSize - 1);
  await anOrganization(neighbor);
  const endedBefore = ended;
  await blocker.query('rollback');
  await blocker.end();
  return { endedBefore, statuses: new Set(await Promise.all(calls)) };
}

const unhindered = { endedBefore: 0, statuses: new Set([200]) };

const limitTo1 = async ({ id }: TestTenant): Promise<unknown> =>
  api.database.sql('update api_key set requests_per_second = 1, request_burst = 1 where id = $1', [id]);

const credentialsOf = ({ apiKey, authToken }: TestTenant) => ({ apiKey, authToken });

describe('the calls of one key without its headers leave connections to a neighbor', () => {
  it('when reports of SendGrid wait for each other', async () => {
    const { report } = await aReporter();
    const lock = 'lock table delivery_log in access exclusive mode';
    expect(await besideANeighbor(lock, report)).toEqual(unhindered);
  });

  it('when unsubscribing readers wait for each other', async () => {
    const tenant = await aTenant(api);
    const { organizationId } = await aDocument(tenant);
    await tenant.ok('/v2/users/add', { organizationId, users: [{ userId: 'reader' }] });
    const [subject] = await api.database.sql<{ organization: string; user: string }>(
      `select o.id as organization, u.id as user from organization o join app_user u on u.api_key_id = o.api_key_id
       where o.ext_id = $1 and u.ext_id = 'reader'`,
      [organizationId],
    );
    if (subject === undefined) throw new Error('missing reader of the test');
    const key = await currentUnsubscribeKey(api.orm.em.fork(), api.keyRing);
    const token = sealUnsubscribeToken(key, { ...subject, apiKeyId: tenant.id, document: undefined });
    const body = () => new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
    const lock = `select from organization where id = ${subject.organization} for update`;
    const call = async () => fetch(`${api.url}/unsubscribe/${token}`, { method: 'POST', body: body() });
    expect(await besideANeighbor(lock, call)).toEqual(unhindered);
  });

  it('when sign-ins to the console wait for each other', async () => {
    const tenant = await aTenant(api);
    const lock = `select pg_advisory_xact_lock(${String(advisoryLocks.consoleSessions)}, hashint8(${tenant.id}::bigint))`;
    const call = async () => aPage(api).call('/console/session', credentialsOf(tenant));
    expect(await besideANeighbor(lock, call)).toEqual(unhindered);
  });
});

describe('the rate limit of a key', () => {
  it('holds for reports of SendGrid, which are then refused with 429', async () => {
    const { tenant, report } = await aReporter();
    await limitTo1(tenant);
    const responses = await Promise.all(Array.from({ length: 20 }, report));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 429]));
    const refused = responses.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  });

  it('holds for sign-ins to the console', async () => {
    const tenant = await aTenant(api);
    await limitTo1(tenant);
    const signIn = async () => aPage(api).call('/console/session', credentialsOf(tenant));
    const responses = await Promise.all(Array.from({ length: 20 }, signIn));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 429]));
  });
});

describe('reports of SendGrid', () => {
  it.each(['key', 'workspace'] as const)(
    'are refused with 503 while the %s is disabled, so that SendGrid repeats them',
    async (kind) => {
      const { tenant, report } = await aReporter();
      const named = kind === 'key' ? { keyId: tenant.keyId } : { workspaceId: tenant.workspace.workspaceId };
      const operator = anOperator(api);
      await operator.ok(`/v2/operator/${kind}s/disable`, named);
      const refused = await report();
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60']);
      await operator.ok(`/v2/operator/${kind}s/enable`, named);
      expect((await report()).status).toBe(200);
    },
  );
});

describe('/.well-known/jwks.json', () => {
  it('reads the keys once for all callers of an event-loop turn', async () => {
    await publicTokenKeys(api.orm.em.fork());
    const sent = await statementsOf(async () =>
      Promise.all(Array.from({ length: 20 }, async () => publicTokenKeys(api.orm.em.fork()))),
    );
    expect(sent.filter(({ text }) => text.includes('signing_key'))).toHaveLength(1);
  });
});
