import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { Client } from 'pg';
import { migrateDatabase } from '../../platform/database/migrate.ts';
import type { TestApi } from '../support/api.ts';
import { adminUrl, aDatabase, anEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import {
  addActivityLogs,
  aDocument,
  anOrganization,
  calledThrough,
  aTenant,
  freshId,
  withActivityLogs,
  type TestTenant,
} from '../support/factories.ts';
import { aMailServer } from '../support/mail-server.ts';
import type { PostgresPrograms } from '../support/postgres-programs.ts';
import { aReceiver, responding, type Delivered } from '../support/receiver.ts';
import { aListeningTenant, anEndpoint } from '../support/webhooks.ts';
import { anInstallation } from './migrations.ts';
import { dueEmails, jobCounts, openJobs, type JobCounts } from './restore-work.ts';

export interface DrillOptions {
  /** Open jobs at the time of the backup, of several kinds: a few more, or fewer on a fast machine. */
  readonly jobs: number;
  /** Endpoints with an undelivered event. */
  readonly endpoints: number;
  /** `pg_dump` and `pg_restore`. Without them, the original is stopped and its files are copied. */
  readonly programs: PostgresPrograms | undefined;
}

export interface DrillReport {
  /** Milliseconds from the start of the first worker beside an empty Temporal until all jobs have ended. */
  readonly jobsEndedMs: number;
  readonly outboxEmptyMs: number;
  /** Milliseconds until every event of the backup has reached every endpoint. */
  readonly deliveredMs: number;
  /** Milliseconds until every e-mail that was due has been sent. */
  readonly emailsSentMs: number;
  /** Jobs that were open in the backup. */
  readonly openJobs: JobCounts;
  /** Sequences of endpoints that belong to one event before the restore and to another after it. */
  readonly repeatedSequences: number;
  readonly violations: readonly string[];
}

const endpointsPerKey = 50;
const quietKeys = 10;
const concurrency = 10;
const emails = 20;

/** Jobs that end before the backup. */
const endedBefore = 10;

/** The time within which each step must end, on a slow machine. */
const limitOf = ({ jobs, endpoints }: DrillOptions): number => 600_000 + Math.max(jobs, endpoints) * 500;

/** Attempts may time out on a busy machine, and fail until the backup is done, so the delay between them is short. */
const retrySchedule = ['0s', '1s', '2s', ...Array.from({ length: 40 }, () => '5s')].join(',');

/** Adds an activity log through the given API, which is an event for every endpoint of its key. Returns its id. */
type Write = (api: { readonly url: string }) => Promise<string>;

interface Customers {
  /** Activity logs of keys with endpoints. */
  readonly listening: readonly Write[];
  /** Activity logs of keys without endpoints. */
  readonly quiet: readonly Write[];
  /** Jobs that were accepted. */
  readonly jobs: JobCounts;
  /** Addresses of e-mails that are due. */
  readonly addresses: readonly string[];
}

/**
 * Backs up a deployment while callers write and a worker runs its jobs, keeps the original running, and restores the
 * backup beside an empty Temporal. Violations list what the restore lost or confused.
 */
export async function restoreDrill(options: DrillOptions): Promise<DrillReport> {
  const receiver = await aReceiver();
  const mail = await aMailServer();
  const database = await aDatabase();
  const restored = await anEmptyDatabase();
  try {
    const environment = {
      STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
      STEWARD_WEBHOOK_RETRY_SCHEDULE: retrySchedule,
      STEWARD_EMAIL_RETRY_SCHEDULE: retrySchedule,
      STEWARD_SMTP_URL: mail.url,
      STEWARD_MAIL_FROM: 'steward@mail.test',
    };
    const original = await anInstallation({ database, environment });
    // The identity of the database is recorded by the first worker.
    const first = await original.startWorker(environment);
    await eventually(() => has(database, 'from restore_state'));
    await first.stop();
    const customers = await populate(original.api, receiver.url, options);
    // Events and e-mails stay undelivered until the backup, and jobs are in every state.
    receiver.behave(responding(503));
    for (const address of customers.addresses) mail.script(address, { atRecipient: '451 4.3.0 later' });
    await original.startWorker(environment);
    await eventually(() => has(database, 'from job where status = 2'));
    const acknowledged = await writeUntilBackedUp(original.api, customers, async () => {
      if (options.programs !== undefined) await dumpAndRestore(options.programs, database, restored);
    });
    if (options.programs === undefined) {
      await original.close();
      await copyFiles(database, restored);
    } else {
      receiver.behave(responding(200));
      await goOn(original, customers, limitOf(options));
      await original.close();
    }
    const former = receiver.delivered;
    receiver.behave(responding(200));
    receiver.forget();
    for (const address of customers.addresses) mail.script(address, undefined);
    await migrateDatabase(restored.url);
    const expected = await undelivered(restored);
    const open = await jobCounts(restored, 'open');
    const copy = await anInstallation({ database: restored, environment });
    try {
      const began = performance.now();
      await copy.startWorker(environment);
      const reached = async (state: () => Promise<boolean>): Promise<number> => {
        await eventually(state, { within: limitOf(options) });
        return Math.round(performance.now() - began);
      };
      const [jobsEndedMs, outboxEmptyMs, deliveredMs, emailsSentMs] = await Promise.all([
        reached(async () => !(await has(restored, unendedJobs))),
        reached(async () => !(await has(restored, outboxEvents))),
        reached(async () => {
          const arrived = new Set(receiver.delivered.map(arrivalOf));
          return expected.every((one) => arrived.has(one));
        }),
        reached(async () => {
          const sent = new Set(mail.mails.map(({ to }) => to));
          return customers.addresses.every((one) => sent.has(one));
        }),
      ]);
      await Promise.all(customers.listening.map(async (write) => write(copy.api)));
      await delivered(restored, limitOf(options));
      return {
        jobsEndedMs,
        outboxEmptyMs,
        deliveredMs,
        emailsSentMs,
        openJobs: open,
        repeatedSequences: repeatedSequences(former, receiver.delivered),
        violations: [
          ...(await missing(restored, acknowledged)),
          ...(await unfinishedJobs(restored, customers.jobs)),
          ...ambiguousSequences([...former, ...receiver.delivered]),
        ],
      };
    } finally {
      await copy.close();
    }
  } finally {
    await Promise.all([receiver.close(), mail.close()]);
    await Promise.all([database.drop(), restored.drop()]);
  }
}

/** Jobs stay open and events stay in the outbox, because there is no worker yet. It ends a few before the backup. */
async function populate(
  api: TestApi,
  receiverUrl: string,
  { jobs, endpoints }: DrillOptions,
): Promise<Customers> {
  const limit = pLimit(concurrency);
  const listening = await Promise.all(
    Array.from({ length: Math.ceil(endpoints / endpointsPerKey) }, async (_, key) =>
      limit(async () => {
        const tenant = await withActivityLogs(await aListeningTenant(api));
        const count = Math.min(endpointsPerKey, endpoints - key * endpointsPerKey);
        for (let at = 0; at < count; at += 1)
          await anEndpoint(api, tenant, `${receiverUrl}/${String(key)}/${String(at)}`);
        const write = await writerOf(tenant);
        await write(api);
        return write;
      }),
    ),
  );
  const tenants = await Promise.all(Array.from({ length: quietKeys }, async () => aTenant(api)));
  const quiet = await Promise.all(tenants.map(async (tenant) => writerOf(await withActivityLogs(tenant))));
  const addresses = await dueEmails(api, emails);
  // The provisioning of each listening key is a job, too.
  const requested = jobs - listening.length + endedBefore;
  return { listening, quiet, addresses, jobs: await openJobs(api, requested) };
}

async function writerOf(tenant: TestTenant): Promise<Write> {
  const document = await aDocument(tenant, { organizationId: await anOrganization(tenant) });
  return async (api) => {
    const record = {
      featureType: 'custom',
      actionType: 'plan.read',
      targetEntityId: 't',
      actionUser: { userId: 'u' },
    };
    const [id = ''] = await addActivityLogs(calledThrough(api, tenant), document, [record]);
    return id;
  };
}

/** Returns the ids of the activity logs that were acknowledged before the backup began. */
async function writeUntilBackedUp(
  api: TestApi,
  { quiet }: Customers,
  backUp: () => Promise<void>,
): Promise<readonly string[]> {
  const acknowledged: string[] = [];
  const stop = new AbortController();
  const writing = Promise.all(
    quiet.map(async (write) => {
      while (!stop.signal.aborted) acknowledged.push(await write(api));
    }),
  );
  await Promise.race([writing, eventually(() => acknowledged.length >= 100)]);
  const before = [...acknowledged];
  await backUp().finally(() => stop.abort());
  await writing;
  return before;
}

async function dumpAndRestore(
  programs: PostgresPrograms,
  from: TestDatabase,
  to: TestDatabase,
): Promise<void> {
  const file = join(tmpdir(), `${freshId('steward')}.dump`);
  await programs.dump(from.url, file);
  await programs.restore(file, to.url);
  await rm(file);
}

async function copyFiles(from: TestDatabase, to: TestDatabase): Promise<void> {
  const admin = new Client({ connectionString: adminUrl() });
  await admin.connect();
  try {
    const nameOf = ({ url }: TestDatabase): string => new URL(url).pathname.slice(1);
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      nameOf(from),
    ]);
    await admin.query(`drop database ${nameOf(to)} with (force)`);
    await eventually(() => admin.query(`create database ${nameOf(to)} template ${nameOf(from)}`));
  } finally {
    await admin.end();
  }
}

/** Writes and deliveries of the original after the backup. Its jobs may stay open. */
async function goOn(
  original: Awaited<ReturnType<typeof anInstallation>>,
  { listening }: Customers,
  limitMs: number,
): Promise<void> {
  await delivered(original.api.database, limitMs);
  await Promise.all(listening.map(async (write) => write(original.api)));
  await delivered(original.api.database, limitMs);
}

const unendedJobs = 'from job where status in (0, 1)';
const outboxEvents = 'from outbox';
const pendingMessages = 'from delivery where status = 0';

const has = async (database: TestDatabase, rows: string): Promise<boolean> =>
  (await database.sql(`select ${rows} limit 1`)).length > 0;

/** Waits until every event has been delivered. */
const delivered = async (database: TestDatabase, limitMs: number): Promise<void> => {
  for (const rows of [outboxEvents, pendingMessages])
    await eventually(async () => !(await has(database, rows)), { within: limitMs });
};

const arrivalOf = ({ path, id }: Pick<Delivered, 'path' | 'id'>): string => `${path} ${id}`;

/** Returns the events that each endpoint must receive: its undelivered messages, and the events of the outbox. */
async function undelivered(database: TestDatabase): Promise<readonly string[]> {
  const rows = await database.sql<{ url: string; id: string }>(
    `select w.url, e.public_id as id from outbox o
       join event e on e.at = o.event_at and e.id = o.event_id join webhook_endpoint w on w.api_key_id = o.api_key_id
     union
     select w.url, e.public_id from delivery d
       join event e on e.at = d.event_at and e.id = d.event_id join webhook_endpoint w on w.id = d.endpoint_id
     where d.status = 0`,
  );
  return rows.map(({ url, id }) => arrivalOf({ path: new URL(url).pathname, id }));
}

async function missing(database: TestDatabase, acknowledged: readonly string[]): Promise<readonly string[]> {
  const rows = await database.sql<{ id: string }>('select ext_id as id from activity');
  const kept = new Set(rows.map(({ id }) => id));
  return acknowledged
    .filter((id) => !kept.has(id))
    .map((id) => `The acknowledged activity log ${id} is missing.`);
}

async function unfinishedJobs(database: TestDatabase, accepted: JobCounts): Promise<readonly string[]> {
  const completed: Readonly<Record<string, number>> = await jobCounts(database, 'completed');
  const lost = Object.entries(accepted)
    .filter(([kind, count]) => (completed[kind] ?? 0) < count)
    .map(([kind, count]) => `${String(completed[kind] ?? 0)} of ${String(count)} jobs ${kind} completed.`);
  const failed = await database.sql<{ kind: number }>('select kind from job where status = 3');
  return [...lost, ...failed.map(({ kind }) => `A job of kind ${String(kind)} failed.`)];
}

const positionOf = ({ path, body }: Delivered): string => `${path} ${String(body.sequence)}`;

/** Returns the sequences that belong to two events within one epoch. */
function ambiguousSequences(all: readonly Delivered[]): readonly string[] {
  const ids = new Map<string, string>();
  return all.flatMap((one) => {
    const position = `${positionOf(one)} of epoch ${String(one.headers['webhook-epoch'])}`;
    const known = ids.get(position) ?? one.id;
    ids.set(position, known);
    return known === one.id ? [] : [`Two events have the sequence ${position}.`];
  });
}

function repeatedSequences(former: readonly Delivered[], present: readonly Delivered[]): number {
  const ids = new Map(former.map((one) => [positionOf(one), one.id]));
  const repeated = present.filter((one) => (ids.get(positionOf(one)) ?? one.id) !== one.id);
  return new Set(repeated.map(positionOf)).size;
}
