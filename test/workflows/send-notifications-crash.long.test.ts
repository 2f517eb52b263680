import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { finalStatuses } from '../../domain/notices/statuses.ts';
import { eventually } from '../support/eventually.ts';
import { aDocument, calledThrough, type TestTenant } from '../support/factories.ts';
import { aMailServer, type MailServer } from '../support/mail-server.ts';
import { killed, startProcess } from '../support/processes.ts';
import { aMailingTenant, logOf, notified, notifiedIn, sendersOf, waitingOf } from '../support/senders.ts';
import { aClosableProxy } from './closable-proxy.ts';
import { anInstallation, type Installation } from './migrations.ts';

/*
 * | Crashes    | When                               | Then                                                      |
 * |------------|------------------------------------|-----------------------------------------------------------|
 * | API        | after the commit, before the start | the sweep starts the sender                               |
 * | worker     | between claim and send             | sent once, when the claim has lapsed                      |
 * | worker     | between send and record            | only what was not recorded is repeated, as the same mail  |
 * | worker     | closing a window                   | the window stays, and is closed once                      |
 * | PostgreSQL | while sending                      | the outcome is recorded when it is back, nothing repeated |
 *
 * A test blocks a step by a lock, and kills the worker when it waits for the lock.
 */

let installation: Installation;
let mail: MailServer;
let environment: Readonly<Record<string, string>>;
let senders: ReturnType<typeof sendersOf>;
/** An environment without a mail server: creates deliveries and joins windows, but claims nothing. */
let planners: ReturnType<typeof sendersOf>;

beforeAll(async () => {
  installation = await anInstallation();
  mail = await aMailServer();
  environment = { STEWARD_SMTP_URL: mail.url, STEWARD_MAIL_FROM: 'steward@mail.test' };
  senders = sendersOf(installation.api, mail.url);
  planners = sendersOf(installation.api, undefined);
});
afterAll(async () => {
  await senders.close();
  await planners.close();
  await installation.close();
  await mail.close();
});

const nothing = { notices: 0, windows: 0, outgoing: 0 };
const mailsTo = (address: string) => mail.mails.filter(({ to }) => to === address);
const sql: Installation['api']['database']['sql'] = async (statement, parameters) =>
  installation.api.database.sql(statement, parameters);

/** Locks a table in a transaction that stays open until it is released. */
async function locked(table: string, mode: string) {
  const client = await installation.api.database.connect();
  await client.query('begin');
  await client.query(`lock table ${table} in ${mode} mode`);
  return { release: async () => client.query('commit').then(async () => client.end()) };
}

/** Waits until a statement that names the table waits for its lock. */
const blockedAt = async (table: string) =>
  eventually(
    async () =>
      (
        await sql(
          `select 1 as one from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock' and query like '%' || $1 || '%'`,
          [table],
        )
      ).length > 0,
  );

/**
 * Starts a worker, kills it when it waits for the table and `others` have happened, and releases the table. Sweeps may
 * wait for the table before the senders do.
 */
async function killedAt(table: string, mode = 'exclusive', others = () => true): Promise<void> {
  const lock = await locked(table, mode);
  const worker = await installation.startWorker(environment);
  await eventually(others);
  await blockedAt(table);
  await killed(worker);
  await lock.release();
}

/** Ends the claims of a killed worker, which last 90 s, and waits until another worker has sent all deliveries. */
async function sentByAnother(tenant: TestTenant): Promise<void> {
  await sql(
    `update outgoing set claimed_until = now(), next_at = now() - interval '1 minute' where api_key_id = $1`,
    [tenant.id],
  );
  const worker = await installation.startWorker(environment);
  await eventually(async () => {
    expect(await waitingOf(installation.api, tenant)).toEqual(nothing);
    return true;
  });
  await worker.stop();
}

/** Adds a notification for each address. */
async function waitingFor(...addresses: string[]): Promise<TestTenant> {
  const tenant = await aMailingTenant(installation.api);
  for (const email of addresses) await notified(tenant, { notifyUsers: [{ userId: email, email }] });
  return tenant;
}

describe('notifications', () => {
  it('are sent when the API was killed after the commit and before the start of the sender', async () => {
    const tenant = await aMailingTenant(installation.api);
    const location = await aDocument(tenant);
    // This API does not reach Temporal.
    const api = await startProcess('api', installation.api.database.url);
    await notifiedIn(calledThrough(api, tenant), location, {
      notifyUsers: [{ userId: 'ben', email: 'committed@users.test' }],
    });
    await killed(api);
    expect(await waitingOf(installation.api, tenant)).toMatchObject({ notices: 1 });
    const worker = await installation.startWorker(environment);
    await eventually(async () => (await logOf(installation.api, tenant)).length === 1);
    expect(mailsTo('committed@users.test')).toHaveLength(1);
    await worker.stop();
  });

  it('are sent once when the worker was killed between claim and send', async () => {
    const tenant = await waitingFor('claimed@users.test');
    await planners.turn(tenant);
    await killedAt('mail_suppression', 'access exclusive');
    expect(mailsTo('claimed@users.test')).toEqual([]);
    await sentByAnother(tenant);
    expect(mailsTo('claimed@users.test')).toHaveLength(1);
    expect(await logOf(installation.api, tenant)).toMatchObject([
      { status: finalStatuses.sent, attempts: [{ outcome: 'unknown' }, { number: 2, outcome: 'accepted' }] },
    ]);
  });

  it('repeat only unrecorded messages, under the same Message-ID, when the worker was killed after sending', async () => {
    const tenant = await waitingFor('recorded@users.test');
    await senders.turn(tenant);
    const unrecorded = ['unknown1@users.test', 'unknown2@users.test'];
    for (const email of unrecorded) await notified(tenant, { notifyUsers: [{ userId: email, email }] });
    await planners.turn(tenant);
    await killedAt('delivery_log', 'exclusive', () => unrecorded.every((one) => mailsTo(one).length > 0));
    expect(unrecorded.map((address) => mailsTo(address).length)).toEqual([1, 1]);
    await sentByAnother(tenant);
    expect(mailsTo('recorded@users.test')).toHaveLength(1);
    for (const address of unrecorded) {
      const [first, ...repeats] = mailsTo(address).map(({ parsed }) => parsed.messageId);
      expect(first).toMatch(/@mail\.test>$/);
      expect(repeats).toEqual([first]);
    }
    expect(await logOf(installation.api, tenant)).toMatchObject([
      { attempts: [{ outcome: 'accepted' }] },
      { attempts: [{ outcome: 'unknown' }, { outcome: 'accepted' }] },
      { attempts: [{ outcome: 'unknown' }, { outcome: 'accepted' }] },
    ]);
  });

  it('stay in their window when the worker was killed while closing it, and are sent as one digest', async () => {
    const off = { isEnabled: false, batchWindowSeconds: 10, maxActivities: 2 };
    const document = { isEnabled: true, batchWindowSeconds: 3_600, maxActivities: 50 };
    const tenant = await aMailingTenant(installation.api, { batchConfig: { document, user: off } });
    const location = await aDocument(tenant);
    const notifyUsers = [{ userId: 'ben', email: 'batched@users.test' }];
    for (let left = 3; left > 0; left -= 1) await notifiedIn(tenant, location, { notifyUsers });
    await planners.turn(tenant);
    await sql(`update notice_window set closes_at = now() - interval '1 minute' where api_key_id = $1`, [
      tenant.id,
    ]);
    await killedAt('outgoing', 'share row exclusive');
    expect(await waitingOf(installation.api, tenant)).toEqual({ notices: 3, windows: 1, outgoing: 0 });
    await sentByAnother(tenant);
    expect(mailsTo('batched@users.test').map(({ parsed }) => parsed.subject)).toEqual([
      expect.stringMatching(/^3 updates in /),
    ]);
  });

  it('are recorded once and not repeated when connections to PostgreSQL break during sending', async () => {
    const tenant = await waitingFor('away@users.test');
    await planners.turn(tenant);
    const url = new URL(installation.api.database.url);
    const postgres = await aClosableProxy(url.host);
    url.host = postgres.address;
    postgres.open();
    const lock = await locked('delivery_log', 'exclusive');
    const worker = await installation.startWorker({ ...environment, DATABASE_URL: url.href });
    await blockedAt('delivery_log');
    await eventually(() => mailsTo('away@users.test').length === 1);
    postgres.close();
    await lock.release();
    await eventually(() => postgres.refused() > 1);
    expect(await logOf(installation.api, tenant)).toEqual([]);
    postgres.open();
    await eventually(async () => (await logOf(installation.api, tenant)).length === 1);
    expect(mailsTo('away@users.test')).toHaveLength(1);
    expect(await logOf(installation.api, tenant)).toMatchObject([
      { status: finalStatuses.sent, attempts: [{ number: 1, outcome: 'accepted' }] },
    ]);
    await worker.stop();
    await postgres.end();
  });
});
