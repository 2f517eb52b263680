import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { migrateDatabase } from '../../platform/database/migrate.ts';
import { migrations } from '../../platform/database/migrations/list.ts';
import { indexedColumn, released } from '../platform/database/migrations/lists.ts';
import { aClient, type Response } from '../support/client.ts';
import { anEmptyDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import {
  aDocument,
  activities,
  addActivityLogs,
  aTenantByCalls,
  freshId,
  withActivityLogs,
} from '../support/factories.ts';
import { aRelease } from '../support/release.ts';
import { release020 } from './releases.ts';

const logs = 5_000_000;
const callers = 8;
const maxMs = 2_000;

const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

const release = await aRelease(release020);
closing.push(() => release.remove());
const database = await anEmptyDatabase();
closing.push(database.drop);

/** Creates 5,000,000 copies of the only activity log in 1,000 documents. */
async function fill(tenantId: string): Promise<void> {
  await database.sql(`insert into organization (api_key_id, ext_id, name) values ($1, 'large', 'Large')`, [
    tenantId,
  ]);
  await database.sql(
    `insert into document (api_key_id, org_id, ext_id, name)
     select $1, id, 'large-' || n, 'x' from organization, generate_series(1, 1000) n where ext_id = 'large'`,
    [tenantId],
  );
  const batch = 500_000;
  for (let from = 0; from < logs; from += batch) {
    await database.sql(
      `insert into activity (api_key_id, org_id, document_id, ext_id, ts, feature, action_type, actor_id, content_hash, body)
       select $1, d.org_id, d.id, 'large-' || n, a.ts + n, a.feature, a.action_type, a.actor_id, a.content_hash, a.body
       from generate_series($2::int, $3::int) n join document d on d.ext_id = 'large-' || (n % 1000 + 1),
         (select * from activity order by id limit 1) a`,
      [tenantId, from + 1, from + batch],
    );
  }
  await database.sql('vacuum analyze');
}

interface Load {
  readonly durationsMs: number[];
  readonly failed: string[];
  /** Ids of the activity logs whose addition succeeded. */
  readonly added: string[];
  stop(): Promise<void>;
}

/** Reads and writes of concurrent callers, each with one request at a time. */
function startLoad(calls: readonly ((load: Load) => Promise<Response>)[]): Load {
  const ended = new AbortController();
  const run = async (_: unknown, caller: number): Promise<void> => {
    for (let made = caller; !ended.signal.aborted; made += 1) {
      const began = performance.now();
      const response = await calls[made % calls.length]?.(load);
      const durationMs = performance.now() - began;
      load.durationsMs.push(durationMs);
      // One that waited in vain for a connection is judged by its duration.
      const isSlow = response?.status === 503 && durationMs > maxMs;
      if (response?.status !== 200 && !isSlow)
        load.failed.push(`${String(response?.status)} ${response?.text.slice(0, 300) ?? ''}`);
      await setTimeout(20);
    }
  };
  const load: Load = {
    durationsMs: [],
    failed: [],
    added: [],
    async stop() {
      ended.abort();
      await Promise.all(running);
    },
  };
  const running = Array.from({ length: callers }, run);
  return load;
}

/**
 * Inserts rows into a table that no migration changes, over a connection of its own: what delays it is the machine, not
 * a lock. `stop` returns the milliseconds of the slowest insert.
 */
async function startProbe(): Promise<{ readonly stop: () => Promise<number> }> {
  const client = await database.connect();
  await client.query('create table test_probe (at timestamptz not null)');
  const ended = new AbortController();
  let slowestMs = 0;
  const insert = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      const began = performance.now();
      await client.query('insert into test_probe values (now())');
      slowestMs = Math.max(slowestMs, performance.now() - began);
      await setTimeout(20);
    }
  };
  const running = insert();
  // The drop of the database ends the connection where the test has failed.
  running.catch(() => undefined);
  return {
    stop: async () => {
      ended.abort();
      await running;
      return slowestMs;
    },
  };
}

const slowest = ({ durationsMs }: Load): number => Math.round(Math.max(...durationsMs));

describe('all migrations since release 0.2.0 and one that adds an indexed column', () => {
  it(`delay no call longer than ${String(maxMs)} ms with ${logs.toLocaleString('en')} activity logs`, async () => {
    await migrateDatabase(database.url, undefined, { list: released });
    const api = await release.start('api', database.url, { DATABASE_POOL_SIZE: '10', LOG_LEVEL: 'info' });
    closing.push(() => api.kill());
    const tenant = await withActivityLogs(await aTenantByCalls({ url: api.url, database }));
    const document = await aDocument(tenant);
    await addActivityLogs(tenant, document, activities(1));
    await fill(tenant.id);
    const { organizationId } = document;
    const client = aClient(api.url, tenant.headers);
    const calls: readonly ((load: Load) => Promise<Response>)[] = [
      async ({ added }) => {
        const [log] = activities(1);
        const id = freshId('load');
        const data = { ...document, activities: [{ ...log, id }] };
        const response = await client.call('/v2/activities/add', data);
        if (response.status === 200) added.push(id);
        return response;
      },
      async () =>
        client.call('/v2/activities/get', { organizationId: 'large', documentId: 'large-7', pageSize: 50 }),
      async () => client.call('/v2/users/add', { organizationId, users: [{ userId: freshId('user') }] }),
      async () => client.call('/v2/organizations/documents/get', { organizationId: 'large', pageSize: 50 }),
      async () =>
        client.call('/v2/organizations/documents/add', {
          organizationId,
          documents: [{ documentId: freshId('document') }],
        }),
    ];
    const before = startLoad(calls);
    await eventually(() => expect(before.durationsMs.length).toBeGreaterThan(1_000));
    await before.stop();
    const probe = await startProbe();
    const load = startLoad(calls);
    const began = performance.now();
    await migrateDatabase(database.url, undefined, { list: [...migrations, ...indexedColumn] });
    const migratedMs = Math.round(performance.now() - began);
    await eventually(() => expect(load.durationsMs.length).toBeGreaterThan(1_000));
    await load.stop();
    const probeMs = Math.round(await probe.stop());
    process.stderr.write(
      `Migrated in ${String(migratedMs)} ms; slowest of ${String(load.durationsMs.length)} calls: ${String(slowest(load))} ms, before: ${String(slowest(before))} ms, of a table without migrations: ${String(probeMs)} ms\n`,
    );
    expect([...before.failed, ...load.failed].slice(0, 5)).toEqual([]);
    // A busy machine delays calls even without a migration.
    expect(slowest(load)).toBeLessThan(Math.max(maxMs, 2 * slowest(before), 3 * probeMs));
    const stored = await database.sql<{ ext_id: string }>(
      `select ext_id from activity where ext_id like 'load-%'`,
    );
    expect(new Set(stored.map(({ ext_id }) => ext_id))).toEqual(new Set([...before.added, ...load.added]));
    const index = await database.sql(
      `select indisvalid as valid from pg_index where indexrelid = 'activity_test'::regclass`,
    );
    expect(index).toEqual([{ valid: true }]);
  }, 7_200_000);
});
