import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { removeCluster } from '../../platform/local/postgres-cluster.ts';
import { startPostgres } from '../../platform/local/postgres.ts';
import { searchAttributes } from '../../platform/local/servers.ts';
import { startTemporal } from '../../platform/local/temporal.ts';
import { aDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { activities, addActivities, askedOf, freshId, type TestTenant } from '../support/factories.ts';
import { killed, startProcess, type TestProcess } from '../support/processes.ts';
import {
  aPerson,
  aPreparedTenant,
  deleteData,
  deletionOf,
  endedDeletion,
  rowsWith,
  type TestPerson,
} from './deletions.ts';
import { anInstallation, type Installation, type OwnServers } from './migrations.ts';

/*
 * | Dies by kill -9            | At                                        | Then                                                         |
 * |----------------------------|-------------------------------------------|--------------------------------------------------------------|
 * | worker, PostgreSQL,        | taking the deletion in hand               | nothing was written; it is taken in hand anew                |
 * | Temporal: each at each     | fencing, while a writer holds the person  | the fence stands; the writers are waited for again           |
 * | step                       | deleting, within a chunk                  | the chunk is rolled back, or counted once with its commit    |
 * |                            | verifying                                 | the scan begins anew                                         |
 * |                            | completing, before its commit             | rolled back; or committed and not reported: found done       |
 * | API                        | after the commit, before the start        | the sweep starts it; a retry with the key replays the job    |
 *
 * Five deletions, each held at another step by a lock that the test takes in the database, go through one death together.
 * A dead worker is noticed by its heartbeat after 20 seconds, so the deaths are died beside each other.
 */

const within = 90_000;

/** What is closed at the end, the last one made first. */
const closing: (() => Promise<unknown>)[] = [];

interface Scene {
  readonly installation: Installation;
  /** Those that are to die. */
  readonly workers: TestProcess[];
  readonly tenant: TestTenant;
  readonly sql: Installation['api']['database']['sql'];
}

async function scene(servers: OwnServers = {}): Promise<Scene> {
  const installation = await anInstallation(servers);
  closing.push(() => installation.close());
  // The first worker of a namespace registers what starting a workflow needs.
  await (await installation.startWorker()).stop();
  const { api } = installation;
  return { installation, workers: [], tenant: await aPreparedTenant(api), sql: api.database.sql };
}

/** Runs a statement in a transaction that stays open until it is let go, or PostgreSQL dies. */
async function held({ installation }: Scene, statement: string, ...parameters: unknown[]) {
  const client = await installation.api.database.connect();
  await client.query('begin');
  await client.query(statement, parameters);
  return async (): Promise<void> => {
    await client.query('commit').catch(() => undefined);
  };
}

/** Until so many statements that fit wait for a lock. */
async function waiting({ sql }: Scene, fits: string): Promise<void> {
  await eventually(
    async () => {
      const found = await sql(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ~ $1`,
        [fits],
      );
      return found.length > 0;
    },
    { within: 30_000 },
  );
}

/** As many that every held step has a slot. */
async function startWorkers({ installation, workers }: Scene): Promise<void> {
  workers.push(...(await Promise.all([1, 2, 3].map(async () => installation.startWorker()))));
}

/** A deletion that stands still at a step. */
interface Held {
  readonly jobId: string;
  readonly person: TestPerson;
  readonly letGo: () => Promise<void>;
}

const holdPerson = 'select 1 from app_user where ext_id = $1 for key share';
const holdActivity = `select 1 from activity a join app_user u on u.id = a.actor_id where u.ext_id = $1 for update of a`;
const holdRecord = `select 1 from crdt c join app_user u on u.id = c.last_updated_by where u.ext_id = $1 for update of c`;

/** How a deletion is brought to stand still at each step. */
const steps = {
  async 'taking it in hand'(set: Scene, person: TestPerson): Promise<Held> {
    // Temporal has it before there is a worker, so that the row is locked when the first one comes.
    const jobId = await deleteData(set.tenant, { userIds: [person.userId] });
    const letGo = await held(set, 'select 1 from job where public_id = $1 for update', jobId);
    await startWorkers(set);
    await waiting(set, 'update job set status');
    return { jobId, person, letGo };
  },
  async fencing(set: Scene, person: TestPerson): Promise<Held> {
    const letGo = await held(set, holdPerson, person.userId);
    const jobId = await deleteData(set.tenant, { userIds: [person.userId] });
    await eventually(async () => (await deletionOf(set.tenant, jobId)).phase === 'fencing', { within });
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
    await eventually(async () => (await deletionOf(set.tenant, jobId)).phase === 'deleting', { within });
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
} as const;
type Step = keyof typeof steps;
const stepNames = Object.keys(steps) as Step[];

/** Everything of the person is gone, counted once and told once, and the fence has fallen. */
async function expectDeleted(set: Scene, { jobId, person }: Held): Promise<void> {
  const status = await endedDeletion(set.tenant, jobId, within);
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
  const told = await set.sql(
    `select 1 from event where type = 'user.data_deleted' and payload ->> 'jobId' = $1`,
    [jobId],
  );
  expect(told).toHaveLength(1);
  await addActivities(set.tenant, person.place, activities(1, { actionUser: { userId: person.userId } }));
}

/** Brings a deletion to each step, lets `die` happen to all of them, and answers what must come of each. */
async function deathAtEachStep(
  set: Scene,
  die: (held: readonly Held[]) => Promise<void>,
): Promise<ReadonlyMap<Step, Promise<void>>> {
  const all = new Map<Step, Held>();
  const people = await Promise.all(stepNames.map(async () => aPerson(set.tenant)));
  for (const [index, name] of stepNames.entries()) {
    all.set(name, await steps[name](set, people[index] as TestPerson));
  }
  await die([...all.values()]);
  return new Map([...all].map(([name, one]) => [name, expectDeleted(set, one)]));
}

const letAllGo = async (all: readonly Held[]): Promise<void> => {
  for (const { letGo } of all) await letGo();
};

async function workerDies(): Promise<ReadonlyMap<Step, Promise<void>>> {
  const set = await scene();
  return deathAtEachStep(set, async (all) => {
    await killed(...set.workers);
    await letAllGo(all);
    await startWorkers(set);
  });
}

async function postgresDies(): Promise<ReadonlyMap<Step, Promise<void>>> {
  const directory = await mkdtemp(join(tmpdir(), 'steward-crash-'));
  const options = { directory, database: 'postgres', durable: true, onProgress: () => undefined };
  let postgres = await startPostgres(options);
  closing.push(async () => {
    await postgres.stop();
    await removeCluster(directory);
  });
  const set = await scene({ database: await aDatabase(postgres.url) });
  return deathAtEachStep(set, async () => {
    process.kill(postgres.pid, 'SIGKILL');
    postgres = await startPostgres(options);
  });
}

async function temporalDies(): Promise<ReadonlyMap<Step, Promise<void>>> {
  const directory = await mkdtemp(join(tmpdir(), 'steward-crash-'));
  const options = {
    binary: process.env['TEST_TEMPORAL_BINARY'] ?? '',
    directory,
    databaseFile: join(directory, 'temporal.db'),
    namespace: 'default',
    searchAttributes,
    ui: false,
  };
  let temporal = await startTemporal(options);
  closing.push(async () => {
    await temporal.stop();
    await rm(directory, { recursive: true, force: true });
  });
  const set = await scene({
    temporal: { TEMPORAL_ADDRESS: temporal.address, TEMPORAL_NAMESPACE: 'default' },
  });
  return deathAtEachStep(set, async (all) => {
    process.kill(temporal.pid, 'SIGKILL');
    // While it is away the steps commit, and nobody can be told.
    await letAllGo(all);
    temporal = await startTemporal(options);
  });
}

async function apiDies(): Promise<void> {
  const set = await scene();
  const { api } = set.installation;
  const person = await aPerson(set.tenant);
  // Temporal is away from this API: it commits, answers, and is killed with the start still to come.
  const other = await startProcess('api', api.database.url);
  const options = { idempotencyKey: freshId('once') };
  const path = '/v2/users/data/delete';
  const wish = { userIds: [person.userId] };
  const first = await askedOf(other, set.tenant).call(path, wish, options);
  await killed(other);
  const again = await set.tenant.call(path, wish, options);
  expect([again.status, again.text]).toEqual([202, first.text]);
  const { jobId } = (JSON.parse(first.text) as { data: { jobId: string } }).data;
  expect(await deletionOf(set.tenant, jobId)).toMatchObject({ status: 'pending' });
  await set.installation.startWorker();
  await expectDeleted(set, { jobId, person, letGo: () => Promise.resolve() });
}

describe('a deletion', () => {
  const deaths = { worker: workerDies, PostgreSQL: postgresDies, Temporal: temporalDies } as const;
  type Victim = keyof typeof deaths;
  const victims = Object.keys(deaths) as Victim[];
  let died: Readonly<Record<Victim, Promise<ReadonlyMap<Step, Promise<void>>>>>;
  let api: Promise<void>;
  beforeAll(() => {
    died = { worker: workerDies(), PostgreSQL: postgresDies(), Temporal: temporalDies() };
    api = apiDies();
    // Each is awaited by its own test.
    for (const death of [...Object.values(died), api]) death.catch(() => undefined);
    for (const death of Object.values(died)) {
      void death.then(
        (outcomes) => {
          for (const outcome of outcomes.values()) outcome.catch(() => undefined);
        },
        () => undefined,
      );
    }
  });
  afterAll(async () => {
    await Promise.allSettled([...Object.values(died), api]);
    for (const close of closing.reverse()) await close();
  }, within);

  const matrix = victims.flatMap((victim) => stepNames.map((step) => [victim, step] as const));

  it.each(matrix)(
    'completes, verified, counted once and told once, when the %s dies as it is %s',
    async (victim, step) => {
      await (await died[victim]).get(step);
    },
    2 * within,
  );

  it(
    'completes when the API dies after its commit, before the start',
    async () => {
      await api;
    },
    2 * within,
  );
});
