import { afterAll, describe, expect, it } from '@jest/globals';
import { maintainDayPartitions } from '../../../domain/maintenance/day-partitions.ts';
import { deleteEndedJobs, deleteExpiredTokens } from '../../../domain/maintenance/delete-expired.ts';
import { deleteInRounds, type DeleteExpired } from '../../../domain/maintenance/delete-in-rounds.ts';
import { emptyRotatingPartitions } from '../../../domain/maintenance/rotating-partitions.ts';
import {
  deleteExpiredGrants,
  deleteExpiredResponses,
} from '../../../domain/permissions/delete-expired-access.ts';
import { startTestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { aTenant, freshId } from '../../support/factories.ts';
import { ageResponses, moveDays, partitionSizes } from '../../support/rotation.ts';

const api = await startTestApi({ environment: { STEWARD_RATE_LIMIT: '0' } });
afterAll(api.close);
const { database, orm } = api;
const report = (line: string): boolean => process.stderr.write(`${line}\n`);

const dayMs = 86_400_000;
const megabytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MiB`;

describe('the responses of idempotency keys', () => {
  const days = 8;
  const secondsPerDay = 10;
  const callers = 32;

  it('stop growing after their retention while an API writes at full rate', async () => {
    const tenant = await aTenant(api);
    const write = async (untilMs: number): Promise<number> => {
      let calls = 0;
      while (Date.now() < untilMs) {
        const organizations = [{ organizationId: `o-${String(calls % 100)}` }];
        await tenant.ok('/v2/organizations/add', { organizations }, { idempotencyKey: freshId('key') });
        calls += 1;
      }
      return calls;
    };
    const daily: { readonly calls: number; readonly bytes: number }[] = [];
    for (let day = 0; day < days; day += 1) {
      await moveDays(database, day);
      await ageResponses(database);
      const untilMs = Date.now() + secondsPerDay * 1_000;
      const running = Promise.all(Array.from({ length: callers }, async () => write(untilMs)));
      // Under full load, the sweep's lock waits up to 500 ms.
      let emptied = false;
      while (!emptied && Date.now() < untilMs) emptied = await emptyRotatingPartitions(orm);
      const calls = (await running).reduce((sum, one) => sum + one, 0);
      // On a slow machine, the sweep may get its lock only after the load.
      await eventually(async () => emptied || emptyRotatingPartitions(orm));
      const bytes = await partitionSizes(database);
      report(`day ${String(day + 1)}: ${String(calls / secondsPerDay)} calls/s, ${megabytes(bytes)}`);
      daily.push({ calls, bytes });
    }
    const perCall = (from: number): number => {
      const [before, now] = [daily[from - 1], daily[from]];
      return (now?.bytes ?? 0) / ((now?.calls ?? 0) + (before?.calls ?? 0));
    };
    // Two days of rows on any day.
    const [second, last] = [daily[1], daily.at(-1)];
    const calls = (last?.calls ?? 0) + (daily.at(-2)?.calls ?? 0);
    // Where few calls are made, whole pages and empty indexes outweigh the rows: then the total must not grow.
    expect(last?.bytes).toBeLessThan(Math.max(perCall(1) * calls, second?.bytes ?? 0) * 1.2);
    const rows = await database.sql('select from idempotency');
    expect(rows).toHaveLength(calls);
  });
});

describe('the partitions by day', () => {
  it('have a constant number after their retention', async () => {
    const counts: number[] = [];
    const noon = Date.UTC(2040, 0, 1, 12);
    for (let day = 0; day < 60; day += 1) {
      expect(await maintainDayPartitions(orm, noon + day * dayMs, 30)).toBe(true);
      const [found] = await database.sql<{ count: number }>(
        `select count(*)::int as count from pg_inherits where inhparent = 'attempt'::regclass`,
      );
      counts.push(found?.count ?? 0);
    }
    // 30 past days, today, 7 days ahead, and the default partition.
    expect(new Set(counts.slice(31))).toEqual(new Set([39]));
  });
});

const expiredRows = 100_000;
const kinds: readonly [name: string, deletion: DeleteExpired, table: string, insert: string][] = [
  [
    'ended jobs',
    deleteEndedJobs,
    'job',
    `insert into job (api_key_id, public_id, kind, status, ended_at)
     select $1, 'job_' || n, 1, 2, now() - interval '91 days' from generate_series(1, $2::int) n`,
  ],
  [
    'expired grants',
    deleteExpiredGrants,
    'access',
    `with u as (insert into app_user (api_key_id, ext_id) values ($1, 'granted') returning id)
     insert into access (user_id, kind, resource_id, api_key_id, org_id, user_ext, is_member, grant_role, grant_expires_at)
     select u.id, 3, n, $1, 1, 'granted', false, 1, now() - interval '31 days' from u, generate_series(1, $2::int) n`,
  ],
  [
    'expired tokens',
    deleteExpiredTokens,
    'auth_token',
    `insert into auth_token (token_hash, api_key_id, token_enc, name, expires_at)
     select n::text::bytea, $1, '', 'n', now() - interval '2 days' from generate_series(1, $2::int) n`,
  ],
  [
    'decisions outside partitions',
    deleteExpiredResponses,
    'provider_answer',
    `insert into provider_answer (api_key_id, config_version, user_id, kind, resource_id, has_access, expires_at, expiry_stated)
     select $1, 1, n, 3, 1, true, now() - interval '1 second', true from generate_series(1, $2::int) n`,
  ],
];

describe('the deletion of expired rows in batches', () => {
  it.each(kinds)(
    'is faster than writing them: %s',
    async (name, deletion, table, insert) => {
      const tenant = await aTenant(api);
      const left = (await database.sql(`select from ${table} where api_key_id = $1`, [tenant.id])).length;
      const client = await database.connect();
      // Like the product's connections, whose triggers are planned with it.
      await client.query('set enable_seqscan = off');
      const beganInsert = performance.now();
      await client.query(insert, [tenant.id, expiredRows]);
      const insertedMs = performance.now() - beganInsert;
      await client.end();
      const began = performance.now();
      for await (const _ of deleteInRounds(orm, [deletion], Number.MAX_SAFE_INTEGER)) continue;
      const elapsedMs = performance.now() - began;
      expect(await database.sql(`select from ${table} where api_key_id = $1`, [tenant.id])).toHaveLength(
        left,
      );
      const perSecond = (expiredRows * 1_000) / elapsedMs;
      report(`${name}: ${perSecond.toFixed(0)} rows/s deleted`);
      // More than 1,000 rows/s; on a slow machine, at most a hundred times as long as one statement that inserts them all.
      expect(elapsedMs).toBeLessThan(Math.max(expiredRows, 100 * insertedMs));
    },
    1_800_000,
  );
});
