import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import {
  activities,
  addActivityLogs,
  aDocument,
  calledThrough,
  aTenant,
  freshId,
  withActivityLogs,
  type TestDocument,
  type TestTenant,
} from '../support/factories.ts';
import { killed, startProcess } from '../support/processes.ts';
import { aClosableProxy, type ClosableProxy } from './closable-proxy.ts';
import { activityIds, anInstallation, ended, migrate, statusOf, type Installation } from './migrations.ts';
import { runConcurrently } from './run-concurrently.ts';

/*
 * | Crashes             | When                                             | Then                                                                  |
 * |---------------------|--------------------------------------------------|-----------------------------------------------------------------------|
 * | API                 | after the commit, before the start               | the sweep starts the workflow; a retry with the key replays the id    |
 * | worker              | starting the migration                           | nothing was written; another worker starts                            |
 * | worker              | counting                                         | another worker counts again                                           |
 * | worker              | waiting for the document, nothing flipped        | another worker flips                                                  |
 * | worker              | within the flip, before its commit               | rolled back, nothing changed; another worker flips                    |
 * | worker              | after the flip's commit, before its report       | another worker continues: one event, counted once                     |
 * | worker              | verifying                                        | completed stands; another worker verifies                             |
 * | worker              | in the middle of a cascade                       | another worker removes the rest; what was removed is counted once     |
 * | Temporal            | at acceptance                                    | accepted, pending; started by the sweep when it is back               |
 * | Temporal, Postgres  | at the worker's startup, and while it works      | the worker waits and continues by itself                              |
 *
 * The test blocks a step by a database lock, or by a proxy before Temporal that it closes. Temporal detects a crashed
 * worker by the heartbeat after 20 seconds, so scenarios run concurrently.
 */

interface Scene {
  readonly installation: Installation;
  readonly tenant: TestTenant;
  readonly document: TestDocument;
  readonly newDocumentId: string;
  readonly sql: Installation['api']['database']['sql'];
}

const scenes: Installation[] = [];
const doors: ClosableProxy[] = [];

/** Concurrent scenarios: each mostly waits, but starts two workers. */
const abreast = 4;

async function scene(): Promise<Scene> {
  const installation = await anInstallation();
  scenes.push(installation);
  const tenant = await withActivityLogs(await aTenant(installation.api));
  await installation.api.database.sql(
    `insert into webhook_endpoint (api_key_id, public_id, url) values ($1, 'ep', 'http://receiver.test')`,
    [tenant.id],
  );
  await installation.api.database.sql(
    `insert into key_config (api_key_id, kind, config) values ($1, 'advancedwebhook', '{"isEnabled": true}')`,
    [tenant.id],
  );
  const document = await aDocument(tenant);
  await addActivityLogs(tenant, document, activities(50));
  await installation.api.database.sql('delete from event where true');
  return {
    installation,
    tenant,
    document,
    newDocumentId: freshId('moved'),
    sql: (statement, parameters) => installation.api.database.sql(statement, parameters),
  };
}

async function door(target: string | undefined): Promise<ClosableProxy> {
  const made = await aClosableProxy(target ?? '');
  doors.push(made);
  return made;
}

/** Runs statements in a transaction that stays open until `release`. */
async function held({ installation }: Scene, ...statements: string[]) {
  const client = await installation.api.database.connect();
  await client.query('begin');
  for (const statement of statements) await client.query(statement);
  return { client, letGo: async () => client.query('commit').then(() => client.end()) };
}

/** Waits until a matching statement waits for a lock. */
async function waiting({ sql }: Scene, fits: string): Promise<void> {
  await eventually(async () => {
    const found = await sql(
      `select 1 as one from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and replace(query, '"', '') ~ $1`,
      [fits],
    );
    return found.length > 0;
  });
}

const ids = 'select 1 from document for key share';

/** Migrates while `lock` is held. Kills the worker when it waits at `fits`, releases the lock, and starts another worker. */
async function killedAt(lock: readonly string[], fits: string): Promise<Scene & { migrationId: string }> {
  const set = await scene();
  const worker = await set.installation.startWorker();
  const holder = await held(set, ...lock);
  // Read from the database where possible: a lock on a whole table blocks the API too.
  const migrationId = await migrate(set.tenant, set.document, set.newDocumentId);
  await waiting(set, fits);
  await killed(worker);
  await holder.letGo();
  await set.installation.startWorker();
  return { ...set, migrationId };
}

/** Expects a completed and verified migration with all records, one event, and no reservation left. */
async function expectMoved(
  { tenant, document, newDocumentId, sql }: Scene,
  migrationId: string,
): Promise<void> {
  const status = await ended(tenant, document, migrationId);
  expect(status).toMatchObject({ status: 'completed', verified: true, counts: { activities: 50 } });
  expect(await activityIds(tenant, { ...document, documentId: newDocumentId })).toHaveLength(50);
  expect(await sql('select type from event')).toEqual([{ type: 'document.migrated' }]);
  expect(await sql('select 1 from id_reservation')).toEqual([]);
}

async function inTheMiddleOfTheFlip(): Promise<void> {
  const set = await scene();
  const worker = await set.installation.startWorker();
  const writer = await held(set, ids);
  const migrationId = await migrate(set.tenant, set.document, set.newDocumentId);
  await waiting(set, 'for update of d');
  // The event is the last statement before the commit and reads this table. The API reads it too, and waits meanwhile.
  const holder = await held(set, 'lock table key_config in access exclusive mode');
  await writer.letGo();
  await waiting(set, 'insert into event');
  await killed(worker);
  await holder.letGo();
  await eventually(
    async () => (await statusOf(set.tenant, set.document, migrationId)).status === 'in_progress',
  );
  expect(await activityIds(set.tenant, set.document)).toHaveLength(50);
  await set.installation.startWorker();
  await expectMoved(set, migrationId);
}

async function afterTheFlip(): Promise<void> {
  const set = await scene();
  const way = await door(set.installation.temporal['TEMPORAL_ADDRESS']);
  way.open();
  const worker = await set.installation.startWorker({ TEMPORAL_ADDRESS: way.address });
  const writer = await held(set, ids);
  const migrationId = await migrate(set.tenant, set.document, set.newDocumentId);
  await waiting(set, 'for update of d');
  way.close();
  await writer.letGo();
  await eventually(
    async () => (await statusOf(set.tenant, set.document, migrationId)).status === 'completed',
  );
  await killed(worker);
  await set.installation.startWorker();
  await expectMoved(set, migrationId);
}

async function verifying(): Promise<void> {
  const set = await scene();
  const worker = await set.installation.startWorker();
  const writer = await held(set, ids);
  const migrationId = await migrate(set.tenant, set.document, set.newDocumentId);
  await waiting(set, 'for update of d');
  const holder = await held(set, 'lock table activity in access exclusive mode');
  await writer.letGo();
  await waiting(set, 'from activity');
  await killed(worker);
  expect(await statusOf(set.tenant, set.document, migrationId)).toMatchObject({
    status: 'completed',
    verified: null,
  });
  await holder.letGo();
  await set.installation.startWorker();
  await expectMoved(set, migrationId);
}

async function inTheMiddleOfACascade(): Promise<void> {
  const set = await scene();
  const { organizationId, documentId } = set.document;
  await set.sql(
    `insert into activity (api_key_id, org_id, document_id, ext_id, ts, feature, action_type, actor_id, content_hash, body)
     select api_key_id, org_id, id, 'more' || n, 1800000000000 + n, 5, 'x', 0, '', '{}' from document, generate_series(1, 12000) n where ext_id = $1`,
    [documentId],
  );
  const worker = await set.installation.startWorker();
  const holder = await held(set, `select 1 from activity where ext_id = 'more9000' for update`);
  const { jobId } = await set.tenant.ok('/v2/organizations/documents/delete', {
    organizationId,
    documentIds: [documentId],
  });
  await waiting(set, 'delete from activity');
  await killed(worker);
  await holder.letGo();
  await set.installation.startWorker();
  const done = await eventually(async () => {
    const { data } = await set.tenant.ok<{ status: string }>('/v2/jobs/get', { jobId });
    if (data.status !== 'completed') throw new Error(JSON.stringify(data));
    return data;
  });
  expect(done).toMatchObject({ progress: { done: 12_051, total: 12_051 } });
  expect(await set.sql('select 1 from activity union all select 1 from document')).toEqual([]);
}

async function beforeTheStart(): Promise<void> {
  const set = await scene();
  const { database } = set.installation.api;
  // This API cannot reach Temporal: it commits, responds, and is killed before the start.
  const api = await startProcess('api', database.url);
  const request = { ...set.document, newDocumentId: set.newDocumentId };
  const options = { idempotencyKey: 'once' };
  const path = '/v2/organizations/documents/migrate';
  const first = await calledThrough(api, set.tenant).ok<{ migrationId: string }>(path, request, options);
  await killed(api);
  const again = await set.tenant.ok<{ migrationId: string }>(path, request, options);
  expect(again.data).toEqual(first.data);
  expect(await statusOf(set.tenant, set.document, first.data.migrationId)).toMatchObject({
    status: 'pending',
  });
  await set.installation.startWorker();
  await expectMoved(set, first.data.migrationId);
}

async function serversAway(): Promise<void> {
  const set = await scene();
  const temporal = await door(set.installation.temporal['TEMPORAL_ADDRESS']);
  const url = new URL(set.installation.api.database.url);
  const postgres = await door(url.host);
  url.host = postgres.address;
  const starting = set.installation.startWorker({
    TEMPORAL_ADDRESS: temporal.address,
    DATABASE_URL: url.href,
  });
  await eventually(() => postgres.refused() > 1);
  const migrationId = await migrate(set.tenant, set.document, set.newDocumentId);
  postgres.open();
  await eventually(() => temporal.refused() > 1);
  postgres.close();
  const refused = postgres.refused();
  temporal.open();
  await starting;
  await eventually(() => postgres.refused() > refused);
  expect(await statusOf(set.tenant, set.document, migrationId)).toMatchObject({ status: 'pending' });
  const writer = await held(set, ids);
  postgres.open();
  await waiting(set, 'for update of d');
  temporal.close();
  postgres.close();
  await writer.letGo();
  await eventually(() => temporal.refused() > 3);
  temporal.open();
  postgres.open();
  await expectMoved(set, migrationId);
}

async function whileStarting(): Promise<void> {
  const set = await scene();
  // The first worker of a namespace registers the search attributes. The sweep would skip a locked job.
  await (await set.installation.startWorker()).stop();
  const migrationId = await migrate(set.tenant, set.document, set.newDocumentId);
  const holder = await held(set, 'select 1 from job for update');
  const worker = await set.installation.startWorker();
  await waiting(set, 'from job as .* for update');
  await killed(worker);
  await holder.letGo();
  await set.installation.startWorker();
  await expectMoved(set, migrationId);
}

async function temporalAwayAtAcceptance(): Promise<void> {
  const set = await scene();
  const { database } = set.installation.api;
  const api = await startProcess('api', database.url);
  const migrationId = await migrate(calledThrough(api, set.tenant), set.document, set.newDocumentId);
  expect(await api.stop()).toBe(0);
  await set.installation.startWorker();
  await expectMoved(set, migrationId);
}

const completed = async (starting: Promise<Scene & { migrationId: string }>): Promise<void> => {
  const set = await starting;
  await expectMoved(set, set.migrationId);
};

/** Crashes that a migration must survive. */
export const crashes = {
  'the API is killed after the commit and before the start': beforeTheStart,
  'the worker is killed while it starts the migration': whileStarting,
  'the worker is killed while it counts': () =>
    completed(killedAt(['lock table activity in access exclusive mode'], 'from activity')),
  'the worker is killed while it waits for the document': () => completed(killedAt([ids], 'for update of d')),
  'the worker is killed during the flip': inTheMiddleOfTheFlip,
  'the worker is killed after the flip and before its report': afterTheFlip,
  'the worker is killed while it verifies': verifying,
  'Temporal is down when the migration is accepted': temporalAwayAtAcceptance,
  'Temporal and PostgreSQL are down at the start and again in the middle': serversAway,
} as const satisfies Readonly<Record<string, () => Promise<void>>>;
export type Crash = keyof typeof crashes;

const cascade = 'cascade';

/** Tests that a migration survives these crashes, and a cascade the kill of its worker. */
export function testCrashes(names: readonly Crash[]): void {
  let runs: ReturnType<typeof runConcurrently> = new Map();
  beforeAll(() => {
    const scenarios = names.map((name) => [name, crashes[name]] as const);
    runs = runConcurrently([...scenarios, [cascade, inTheMiddleOfACascade]], abreast);
  });
  afterAll(async () => {
    await Promise.allSettled(runs.values());
    await Promise.all(scenes.map((installation) => installation.close()));
    await Promise.all(doors.map((way) => way.end()));
  });

  it.each(names)('completes, counts its records once and emits one event when %s', async (name) => {
    await runs.get(name);
  });

  it('with a cascade continues it where a killed worker stopped, and counts each row once', async () => {
    await runs.get(cascade);
  });
}
