import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { removeCluster } from '../../local/postgres-cluster.ts';
import { startPostgres } from '../../local/postgres.ts';
import { searchAttributes } from '../../local/servers.ts';
import { startTemporal } from '../../local/temporal.ts';
import { openTemporal, type TemporalClient } from '../../platform/temporal/temporal-client.ts';
import { sweepSchedule, workflowStartOf } from '../../workflows/starts.ts';
import { deletionKind, startableJob } from '../../domain/jobs/job-kinds.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { aDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import {
  activities,
  addActivityLogs,
  calledThrough,
  freshId,
  type TestTenant,
} from '../support/factories.ts';
import { killed, startProcess } from '../support/processes.ts';
import {
  aPerson,
  aPreparedTenant,
  deleteData,
  deletionOf,
  endedDeletion,
  rowsWith,
  type TestPerson,
} from './deletions.ts';
import { anInstallation, type Installation } from './migrations.ts';

/*
 * | Killed with kill -9        | When                                      | Then                                                         |
 * |----------------------------|-------------------------------------------|--------------------------------------------------------------|
 * | worker, PostgreSQL,        | starting the deletion                     | nothing was written; another worker starts it                |
 * | Temporal: each at each     | fencing, while a writer locks the user    | the fence stays; the wait for writers begins again           |
 * | step                       | deleting, within a chunk                  | the chunk is rolled back, or counted once with its commit    |
 * |                            | verifying                                 | the scan continues                                           |
 * |                            | completing, before its commit             | rolled back; or committed and not reported: found completed  |
 * | API                        | after the commit, before the start        | the sweep starts it; a retry with the key replays the job    |
 *
 * Five deletions, each blocked at another step by a database lock, go through one crash together; then five more through
 * the next one, on the same servers. Crashes of servers are among the long tests.
 */

/** Processes that the tests kill. */
export interface Scene {
  readonly installation: Installation;
  /** An API that cannot reach Temporal: jobs that it accepts are not started. */
  readonly apart: TestApi;
  readonly temporal: TemporalClient;
  readonly tenant: TestTenant;
  readonly sql: Installation['api']['database']['sql'];
  readonly kill: Readonly<Record<Victim, (held: readonly Held[]) => Promise<void>>>;
  readonly close: () => Promise<void>;
}

export type Victim = 'worker' | 'PostgreSQL' | 'Temporal';

/** Runs a statement in a transaction that stays open until it is released or PostgreSQL crashes. */
async function held({ installation }: Scene, statement: string, ...parameters: unknown[]) {
  const client = await installation.api.database.connect();
  await client.query('begin');
  await client.query(statement, parameters);
  return async (): Promise<void> => {
    await client.query('commit').catch(() => undefined);
  };
}

/** Waits until that many matching statements wait for a lock. */
async function waiting({ sql }: Scene, fits: string): Promise<void> {
  await eventually(async () => {
    const found = await sql(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and replace(query, '"', '') ~ $1`,
      [fits],
    );
    return found.length > 0;
  });
}

/** A deletion that is blocked at a step. */
interface Held {
  readonly jobId: string;
  readonly person: TestPerson;
  readonly letGo: () => Promise<void>;
}

const holdPerson = 'select 1 from app_user where ext_id = $1 for key share';
const holdActivity = `select 1 from activity a join app_user u on u.id = a.actor_id where u.ext_id = $1 for update of a`;
const holdRecord = `select 1 from crdt c join app_user u on u.id = c.last_updated_by where u.ext_id = $1 for update of c`;

/** How a deletion is blocked at each step. */
const steps = {
  async fencing(set: Scene, person: TestPerson): Promise<Held> {
    const letGo = await held(set, holdPerson, person.userId);
    const jobId = await deleteData(set.tenant, { userIds: [person.userId] });
    await eventually(async () => (await deletionOf(set.tenant, jobId)).phase === 'fencing');
    return { jobId, person, letGo };
  },
  async deleting(set: Scene, person: TestPerson): Promise<Held> {
    const letGo = await held(set, holdActivity, person.userId);
    const jobId = await deleteData(set.tenant, { userIds: [person.userId] });
    await waiting(set, 'activity');
    return { jobId, person, letGo };
  },
  async completing(set: Scene, person: TestPerson): Promise<Held> {
    const pass = await held(set, holdActivity, person.userId);
    const jobId = await deleteData(set.tenant, { userIds: [person.userId] });
    await eventually(async () => (await deletionOf(set.tenant, jobId)).phase === 'deleting');
    const letGo = await held(set, holdPerson, person.userId);
    await pass();
    await waiting(set, 'delete from app_user');
    return { jobId, person, letGo };
  },
  async verifying(set: Scene, person: TestPerson): Promise<Held> {
    const pass = await held(set, holdRecord, person.userId);
    const jobId = await deleteData(set.tenant, { userIds: [person.userId] });
    await waiting(set, 'crdt');
    const letGo = await held(set, 'lock table user_group_member in access exclusive mode');
    await pass();
    await waiting(set, 'user_group_member');
    return { jobId, person, letGo };
  },
  async starting(set: Scene, person: TestPerson): Promise<Held> {
    const tenant = calledThrough(set.apart, set.tenant);
    const jobId = await deleteData(tenant, { userIds: [person.userId] });
    // This lock blocks every change of a job, so it is taken last.
    const letGo = await held(set, 'lock table job in share mode');
    const start = workflowStartOf(
      startableJob(deletionKind, { jobId, keyId: tenant.keyId, organizationId: null, requestId: null }),
    );
    await set.temporal.start(start, 10_000);
    await waiting(set, 'update job set status');
    return { jobId, person, letGo };
  },
} as const;
export type Step = keyof typeof steps;
const stepNames = Object.keys(steps) as Step[];

/** Expects all data of the user deleted, counted once, one event, and no fence. */
async function expectDeleted(set: Scene, { jobId, person }: Held): Promise<void> {
  const status = await endedDeletion(set.tenant, jobId);
  expect(status).toMatchObject({
    status: 'completed',
    verified: true,
    counts: {
      memberships: 2,
      grants: 1,
      groups: 1,
      activities: 3,
      agentExecutions: 1,
      crdtRecords: 1,
      user: 1,
    },
    receipt: { unfinished: [] },
  });
  expect(await rowsWith(set.installation.api, set.tenant, person.userId)).toEqual([]);
  const events = await set.sql(
    `select 1 from event where type = 'user.data_deleted' and payload ->> 'jobId' = $1`,
    [jobId],
  );
  expect(events).toHaveLength(1);
  await addActivityLogs(
    set.tenant,
    person.location,
    activities(1, { actionUser: { userId: person.userId } }),
  );
}

/** Blocks a deletion at each step, kills a process, and returns the expectation for each. */
async function deathAtEachStep(set: Scene, victim: Victim): Promise<ReadonlyMap<Step, Promise<void>>> {
  const all = new Map<Step, Held>();
  const people = await Promise.all(stepNames.map(async () => aPerson(set.tenant)));
  for (const [index, name] of stepNames.entries()) {
    all.set(name, await steps[name](set, people[index] as TestPerson));
  }
  await set.kill[victim]([...all.values()]);
  const outcomes = new Map([...all].map(([name, one]) => [name, expectDeleted(set, one)]));
  await Promise.allSettled(outcomes.values());
  return outcomes;
}

const letAllGo = async (all: readonly Held[]): Promise<void> => {
  for (const { letGo } of all) await letGo();
};

/** Servers that a test may kill. */
interface KillableServers {
  readonly own: { readonly database: TestDatabase; readonly temporal: Readonly<Record<string, string>> };
  readonly kill: Pick<Scene['kill'], 'PostgreSQL' | 'Temporal'>;
  readonly close: () => Promise<void>;
}

async function killableServers(): Promise<KillableServers> {
  const directory = await mkdtemp(join(tmpdir(), 'steward-crash-'));
  const postgresOptions = {
    directory: join(directory, 'postgres'),
    database: 'postgres',
    durable: true,
    onProgress: () => undefined,
  };
  const temporalOptions = {
    binary: process.env['TEST_TEMPORAL_BINARY'] ?? '',
    directory: join(directory, 'temporal'),
    databaseFile: join(directory, 'temporal.db'),
    namespace: 'default',
    searchAttributes,
    ui: false,
  };
  let postgres = await startPostgres(postgresOptions);
  let temporal = await startTemporal(temporalOptions);
  return {
    own: {
      database: await aDatabase(postgres.url),
      temporal: { TEMPORAL_ADDRESS: temporal.address, TEMPORAL_NAMESPACE: 'default' },
    },
    kill: {
      async PostgreSQL() {
        process.kill(postgres.pid, 'SIGKILL');
        postgres = await startPostgres(postgresOptions);
      },
      async Temporal(all) {
        process.kill(temporal.pid, 'SIGKILL');
        // During the outage, the steps commit but cannot report to Temporal.
        await letAllGo(all);
        temporal = await startTemporal(temporalOptions);
      },
    },
    async close() {
      await Promise.all([postgres.stop(), temporal.stop()]);
      await removeCluster(postgresOptions.directory);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const notKilled = () => Promise.reject(new Error('The test has no server of its own.'));

/** Every blocked step of a crash has a slot and a connection. */
const room = { STEWARD_DELETION_SLOTS: '10', DATABASE_POOL_SIZE: '12' } as const;

/** A worker with room for every blocked step, and how to kill and restart each process. Servers are shared unless one is killed. */
async function scene(victims: readonly Victim[]): Promise<Scene> {
  const servers = victims.some((victim) => victim !== 'worker') ? await killableServers() : undefined;
  const installation = await anInstallation(servers?.own);
  const { api, temporal } = installation;
  const apart = await startTestApi({ database: api.database });
  const client = openTemporal({
    address: temporal['TEMPORAL_ADDRESS'] ?? '',
    namespace: temporal['TEMPORAL_NAMESPACE'] ?? '',
  });
  const worker = await installation.startWorker(room);
  return {
    installation,
    apart,
    temporal: client,
    tenant: await aPreparedTenant(api),
    sql: (statement, parameters) => api.database.sql(statement, parameters),
    kill: {
      async worker(all) {
        await killed(worker);
        await letAllGo(all);
        await installation.startWorker(room);
      },
      ...(servers?.kill ?? { PostgreSQL: notKilled, Temporal: notKilled }),
    },
    async close() {
      await client.close();
      await apart.close();
      await installation.close();
      await servers?.close();
    },
  };
}

/** Kills an API that has accepted but not started a deletion. */
export async function apiDies(set: Scene): Promise<void> {
  const person = await aPerson(set.tenant);
  // This API cannot reach Temporal: it commits, responds, and is killed before the start.
  const other = await startProcess('api', set.installation.api.database.url);
  const options = { idempotencyKey: freshId('once') };
  const path = '/v2/users/data/delete';
  const request = { userIds: [person.userId] };
  const first = await calledThrough(other, set.tenant).call(path, request, options);
  await killed(other);
  const again = await set.tenant.call(path, request, options);
  expect([again.status, again.text]).toEqual([202, first.text]);
  const { jobId } = (JSON.parse(first.text) as { data: { jobId: string } }).data;
  // Starts the job, as the sweep would do later.
  await set.sql('update job set next_sweep_at = now() where public_id = $1', [jobId]);
  await set.temporal.client().schedule.getHandle(sweepSchedule.scheduleId).trigger();
  await expectDeleted(set, { jobId, person, letGo: () => Promise.resolve() });
}

/** Tests that deletions survive these crashes; `others` adds tests on the same servers. */
export function testDeaths(
  victims: readonly Victim[],
  others: (set: () => Scene) => void = () => undefined,
): void {
  let set: Scene;
  const died = new Map<Victim, ReadonlyMap<Step, Promise<void>>>();
  beforeAll(async () => {
    set = await scene(victims);
  });
  afterAll(() => set.close());

  describe.each(victims)('when the %s is killed', (victim) => {
    beforeAll(async () => {
      died.set(victim, await deathAtEachStep(set, victim));
    });

    it.each(stepNames)(
      'completes verified, counted once and with one event, while it is %s',
      async (step) => {
        await died.get(victim)?.get(step);
      },
    );
  });

  others(() => set);
}
