import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { keepHouse } from '../../../activities/keep-house.ts';
import {
  deleteEndedJobs,
  deleteExpiredIdempotencyResponses,
} from '../../../domain/maintenance/delete-expired.ts';
import { deleteInRounds } from '../../../domain/maintenance/delete-in-rounds.ts';
import { maintainDayPartitions } from '../../../domain/maintenance/day-partitions.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { activityDependencies } from '../../support/dependencies.ts';
import { aDocument, aTenant, freshId, type TestTenant } from '../../support/factories.ts';

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aTenant(api);
});
afterAll(() => api.close());

const noon = Date.UTC(2030, 5, 15, 12);
const day = 86_400_000;

const partitions = async (table: string): Promise<string[]> =>
  (
    await api.database.sql<{ name: string }>(
      'select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = $1::regclass order by 1',
      [table],
    )
  ).map(({ name }) => name);

describe('maintenance', () => {
  it('creates one partition for today and each of the next 7 days', async () => {
    await maintainDayPartitions(api.orm, noon, 30);
    await maintainDayPartitions(api.orm, noon, 30);
    expect(await partitions('event')).toEqual([
      ...Array.from({ length: 8 }, (_, ahead) => `event_203006${String(15 + ahead)}`),
      'event_default',
    ]);
    expect(await partitions('event_user')).toHaveLength(9);
  });

  it('reserves free space on pages of new deliveries, so that claims update no index', async () => {
    await maintainDayPartitions(api.orm, noon, 30);
    const options = await api.database.sql<{ reloptions: string[] }>(
      `select c.reloptions from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'delivery'::regclass`,
    );
    expect(options.length).toBeGreaterThan(8);
    for (const { reloptions } of options) expect(reloptions).toEqual(['fillfactor=45']);
  });

  it('drops only partitions older than 30 days', async () => {
    await maintainDayPartitions(api.orm, noon + 31 * day, 30);
    expect((await partitions('event')).filter((name) => /_20300(61|62)/.test(name))).toEqual(
      Array.from({ length: 7 }, (_, ahead) => `event_203006${String(16 + ahead)}`),
    );
  });

  it('drops partitions earlier when the retention is shorter', async () => {
    await maintainDayPartitions(api.orm, noon + 31 * day, 3);
    const dropped = (await partitions('attempt')).filter((name) => name < 'attempt_20300713');
    expect(dropped).toEqual([]);
  });

  it('keeps a day with rows in the default partition there and continues with the next day', async () => {
    const at = new Date(noon + 400 * day).toISOString();
    await api.database.sql(`insert into event (at, api_key_id, public_id, type) values ($1, $2, $3, 'x')`, [
      at,
      tenant.id,
      freshId('evt'),
    ]);
    await maintainDayPartitions(api.orm, noon + 400 * day, 30);
    const present = await partitions('event');
    expect(present).not.toContain('event_20310720');
    expect(present).toContain('event_20310721');
  });

  it('skips a locked table until the next turn', async () => {
    const client = await api.database.connect();
    await client.query('begin');
    await client.query('lock table event in access share mode');
    const began = Date.now();
    await maintainDayPartitions(api.orm, noon + 800 * day, 30);
    expect(Date.now() - began).toBeLessThan(50_000);
    await client.query('rollback');
    await client.end();
  });

  it('drops the events of a day after its deliveries, also while those are locked', async () => {
    await maintainDayPartitions(api.orm, noon + 1_000 * day, 30);
    const present = async () => [...(await partitions('event')), ...(await partitions('delivery'))];
    const made = await present();
    const expiring = ['event_20330311', 'delivery_20330311'];
    expect(made).toEqual(expect.arrayContaining(expiring));
    const client = await api.database.connect();
    await client.query('begin');
    await client.query('lock table delivery_20330311 in access share mode');
    expect(await maintainDayPartitions(api.orm, noon + 1_100 * day, 30)).toBe(false);
    expect(await present()).toEqual(expect.arrayContaining(expiring));
    await client.query('rollback');
    await client.end();
    expect(await maintainDayPartitions(api.orm, noon + 1_100 * day, 30)).toBe(true);
    for (const name of expiring) expect(await present()).not.toContain(name);
  });

  it('deletes responses that release 0.2.0 stored after 24 hours and keeps newer ones', async () => {
    await api.database.sql(
      `insert into idempotency (scope, scope_id, key_hash, request_hash, created_at)
       select 3, 0, n::text::bytea, '', now() - n * interval '1 hour' from generate_series(23, 25) n`,
    );
    expect(await deleteExpiredIdempotencyResponses(api.orm.em.fork())).toBe(false);
    const left = await api.database.sql<{ hours: string }>(
      `select convert_from(key_hash, 'UTF8') as hours from only idempotency`,
    );
    expect(left).toEqual([{ hours: '23' }]);
  });

  it('deletes several batches in one sweep, and stops at its time limit', async () => {
    const expired = async () =>
      api.database.sql(
        `insert into idempotency (scope, scope_id, key_hash, request_hash, created_at)
         select 3, 1, n::text::bytea, '', now() - interval '25 hours' from generate_series(1, 12000) n`,
      );
    const deletions = [deleteExpiredIdempotencyResponses, deleteEndedJobs];
    const rounds = async (untilMs: number): Promise<number> => {
      let batches = 0;
      for await (const _ of deleteInRounds(api.orm, deletions, untilMs)) batches += 1;
      return batches;
    };
    await expired();
    expect(await rounds(0)).toBe(2);
    expect(await rounds(Number.MAX_SAFE_INTEGER)).toBe(3);
    expect(await api.database.sql('select 1 from only idempotency')).toHaveLength(1);
  });

  it('stops at its time limit when the clock has stepped back', async () => {
    const { now } = Date;
    Date.now = () => 0;
    try {
      const startedAt = performance.now();
      const endless = async (): Promise<boolean> => Promise.resolve(performance.now() - startedAt < 30_000);
      for await (const _ of deleteInRounds(api.orm, [endless], startedAt + 50)) continue;
      expect(performance.now() - startedAt).toBeLessThan(20_000);
    } finally {
      Date.now = now;
    }
  });

  it('runs the other deletions when one fails, and throws its failure at the end', async () => {
    const ran: string[] = [];
    const batches = (name: string, count: number) => async (): Promise<boolean> => {
      ran.push(name);
      return Promise.resolve(ran.filter((other) => other === name).length < count);
    };
    const failing = async (): Promise<boolean> => Promise.reject(new Error('No deletion.'));
    const rounds = async (): Promise<void> => {
      const deletions = [failing, batches('a', 2), batches('b', 1)];
      for await (const _ of deleteInRounds(api.orm, deletions, Number.MAX_SAFE_INTEGER)) continue;
    };
    await expect(rounds()).rejects.toThrow('No deletion.');
    expect(ran).toEqual(['a', 'b', 'a']);
  });

  it('creates partitions and records their rotation when an earlier step fails, and throws every failure at the end', async () => {
    await api.database.sql(
      `insert into sweep_step (name, succeeded_at) values ('keep_house', '2020-01-01T00:00:00Z')`,
    );
    await api.database.sql('alter table limited_call rename to limited_call_away');
    try {
      const keeping = new MockActivityEnvironment().run(keepHouse(activityDependencies(api, api.orm)), {});
      // Those of the deletions of calls and of emptied keys.
      const failure = { message: 'relation "limited_call" does not exist' };
      await expect(keeping).rejects.toMatchObject({ errors: [failure, failure] });
    } finally {
      await api.database.sql('alter table limited_call_away rename to limited_call');
    }
    const today = new Date().toISOString().slice(0, 10).replaceAll('-', '');
    expect(await partitions('event')).toContain(`event_${today}`);
    const recorded = await api.database.sql(
      `select extract(year from succeeded_at at time zone 'UTC')::int as succeeded, rotated_at > now() - interval '1 day' as rotated
       from sweep_step where name = 'keep_house'`,
    );
    expect(recorded).toEqual([{ succeeded: 2020, rotated: true }]);
  });

  it('moves all hours of usage older than 48 hours to their days in one sweep', async () => {
    const others = [await aTenant(api), await aTenant(api)];
    await api.database.sql(
      `insert into usage_hour (api_key_id, starts_at, requests)
       select k, date_trunc('hour', now()) - n * interval '1 hour', 1
       from unnest($1::bigint[]) k, generate_series(50, 4049) n`,
      [[tenant, ...others].map(({ id }) => id)],
    );
    await new MockActivityEnvironment().run(keepHouse(activityDependencies(api, api.orm)), {});
    const left = `select from usage_hour where starts_at < now() - interval '49 hours'`;
    expect(await api.database.sql(left)).toEqual([]);
    const sum = `select sum(requests)::integer as requests from usage_day where api_key_id = any($1)`;
    expect(await api.database.sql(sum, [others.map(({ id }) => id)])).toEqual([{ requests: 8_000 }]);
  });

  it('deletes jobs 90 days after their end, with the redirect of a migration', async () => {
    const [old, young] = [await cancelled(), await cancelled()];
    await api.database.sql(`update job set ended_at = now() - interval '91 days' where public_id = $1`, [
      old,
    ]);
    await deleteEndedJobs(api.orm.em.fork());
    expect(await tenant.refused('/v2/jobs/get', { jobId: old })).toMatchObject({ status: 'NOT_FOUND' });
    expect(await tenant.ok('/v2/jobs/get', { jobId: young })).toMatchObject({ status: 'success' });
    expect(await api.database.sql('select 1 from migration')).toHaveLength(1);
  });
});

async function cancelled(): Promise<string> {
  const { data } = await tenant.ok<{ migrationId: string }>('/v2/organizations/documents/migrate', {
    ...(await aDocument(tenant)),
    newDocumentId: freshId('moved'),
  });
  await tenant.ok('/v2/jobs/cancel', { jobId: data.migrationId });
  return data.migrationId;
}
