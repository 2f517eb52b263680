import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { emptyRotatingPartitions } from '../../../domain/maintenance/rotating-partitions.ts';
import { cacheResponses } from '../../../domain/permissions/provider/cached-responses.ts';
import type { Tenant } from '../../../domain/tenancy/tenant.ts';
import { startTestApi } from '../../support/api.ts';
import { aTenant, freshId, type TestTenant } from '../../support/factories.ts';
import { ageResponses, moveDays, partitionSizes, randomSlots } from '../../support/rotation.ts';

const api = await startTestApi();
afterAll(api.close);
const { database, orm } = api;
beforeEach(() => moveDays(database, 0));

const add = '/v2/organizations/add';
const organizations = (organizationId: string) => ({ organizations: [{ organizationId }] });
const send = async (tenant: TestTenant, idempotencyKey: string) =>
  tenant.call(add, organizations('o'), { idempotencyKey });
const responsesOf = async ({ id }: TestTenant) =>
  database.sql<{ table: string; status: number | null }>(
    'select tableoid::regclass::text as table, http_status as status from idempotency where scope_id = $1',
    [id],
  );

describe('the response of an Idempotency-Key', () => {
  it('is replayed on the next day from the partition of its day', async () => {
    const tenant = await aTenant(api);
    const first = await send(tenant, 'once');
    await moveDays(database, 1);
    const again = await send(tenant, 'once');
    expect([again.headers['idempotent-replayed'], again.text]).toEqual(['true', first.text]);
    expect(await responsesOf(tenant)).toHaveLength(1);
  });

  it('is replaced after 24 hours, wherever its row is', async () => {
    const tenant = await aTenant(api);
    await send(tenant, 'again');
    const [before] = await responsesOf(tenant);
    await database.sql(
      `update idempotency set created_at = now() - interval '25 hours' where scope_id = $1`,
      [tenant.id],
    );
    await moveDays(database, 1);
    expect((await send(tenant, 'again')).headers['idempotent-replayed']).toBeUndefined();
    const after = await responsesOf(tenant);
    expect(after).toHaveLength(1);
    expect(after[0]?.table).not.toBe(before?.table);
    expect((await send(tenant, 'again')).headers['idempotent-replayed']).toBe('true');
  });

  it('is stored once when calls choose different partitions at the same time', async () => {
    const tenant = await aTenant(api);
    await randomSlots(database);
    const keys = Array.from({ length: 40 }, () => freshId('key'));
    const fresh = await Promise.all(
      keys.flatMap((key) => Array.from({ length: 4 }, async () => call(tenant, key))),
    );
    expect(fresh.filter(Boolean)).toHaveLength(keys.length);
    expect(await responsesOf(tenant)).toHaveLength(keys.length);
  });
});

/** Repeats a call until it has a response; a slow API refuses with 503. Returns whether this call ran. */
async function call(tenant: TestTenant, key: string): Promise<boolean> {
  for (;;) {
    const { status, headers } = await send(tenant, key);
    if (status !== 409 && status !== 503) return headers['idempotent-replayed'] === undefined;
  }
}

describe('release 0.2.0', () => {
  /** The statement of the upsert of release 0.2.0. */
  const store = async (tenant: TestTenant) =>
    database.sql(
      `insert into idempotency (scope, scope_id, key_hash, request_hash, http_status, response_enc, lease_until)
       select scope, scope_id, key_hash, request_hash, 200, '\\x01', null from idempotency where scope_id = $1
       on conflict (scope, scope_id, key_hash) do update set request_hash = excluded.request_hash,
         http_status = excluded.http_status, response_enc = excluded.response_enc, lease_until = excluded.lease_until,
         created_at = now() returning lease_until::text as until`,
      [tenant.id],
    );

  it('takes over a key whose row is in a partition, and the key has one row', async () => {
    const tenant = await aTenant(api);
    await send(tenant, 'shared');
    for (let time = 0; time < 2; time += 1) {
      expect(await store(tenant)).toHaveLength(1);
      expect(await responsesOf(tenant)).toEqual([{ table: 'idempotency', status: 200 }]);
    }
  });
});

const dayMs = 86_400_000;
const tenantOf = ({ id }: TestTenant) => ({ id }) as Tenant;
const decision = (userId: string, resource: number, expiresAt?: number) => ({
  userId,
  user: null,
  kind: 3,
  resource: String(resource),
  askedId: String(resource),
  organization: '1',
  response: { hasAccess: true, accessRole: null, expiresAt },
});
const decisionsOf = async ({ id }: TestTenant) =>
  (
    await database.sql<{ table: string }>(
      'select tableoid::regclass::text as table from provider_answer where api_key_id = $1',
      [id],
    )
  ).map(({ table }) => table);

describe('a decision of a permission provider', () => {
  it('is in the partition of its day, or in the parent when it is valid for longer', async () => {
    const tenant = await aTenant(api);
    const now = Date.now();
    const [today] = await database.sql<{ slot: number }>('select rotation_slot(now()) as slot');
    await cacheResponses(orm, tenantOf(tenant), 1, [decision('u', 1)], now);
    expect(await decisionsOf(tenant)).toEqual([`provider_answer_${String(today?.slot)}`]);
    await cacheResponses(orm, tenantOf(tenant), 1, [decision('u', 1, now + 2 * dayMs)], now);
    expect(await decisionsOf(tenant)).toEqual(['provider_answer']);
  });

  it('has one row when callers choose different partitions at the same time', async () => {
    const tenant = await aTenant(api);
    const writers = Array.from({ length: 24 }, async (_, index) =>
      cacheResponses(
        orm,
        tenantOf(tenant),
        1,
        ['u', 'v', 'w'].map((userId) =>
          decision(userId, 1, Date.now() + (index % 4 === 0 ? 2 : 0.5) * dayMs),
        ),
        Date.now() + index * dayMs,
      ),
    );
    await Promise.all(writers);
    expect(await decisionsOf(tenant)).toHaveLength(3);
  });
});

describe('emptying the partitions', () => {
  it('keeps the rows of today and yesterday, and the tables stop growing', async () => {
    const tenant = await aTenant(api);
    const sizes: number[] = [];
    for (let day = 0; day < 6; day += 1) {
      await moveDays(database, day);
      await ageResponses(database);
      await Promise.all(Array.from({ length: 60 }, async () => call(tenant, freshId('key'))));
      const decisions = Array.from({ length: 300 }, (_, resource) => decision('u', day * 1_000 + resource));
      await cacheResponses(orm, tenantOf(tenant), 1, decisions, Date.now() + day * dayMs);
      expect(await emptyRotatingPartitions(orm)).toBe(true);
      expect(await responsesOf(tenant)).toHaveLength(Math.min(day + 1, 2) * 60);
      expect(await decisionsOf(tenant)).toHaveLength(Math.min(day + 1, 2) * 300);
      sizes.push(await partitionSizes(database));
    }
    expect(sizes[5]).toBeLessThanOrEqual((sizes[1] ?? 0) * 1.5);
  });

  it('leaves a locked table to the next sweep', async () => {
    const tenant = await aTenant(api);
    await send(tenant, 'kept');
    await ageResponses(database);
    const reader = await database.connect();
    await reader.query('begin');
    await reader.query('select from idempotency limit 1');
    await moveDays(database, 2);
    expect(await emptyRotatingPartitions(orm)).toBe(false);
    expect(await responsesOf(tenant)).toHaveLength(1);
    await reader.end();
    expect(await emptyRotatingPartitions(orm)).toBe(true);
    expect(await responsesOf(tenant)).toEqual([]);
  });

  it("keeps today's responses when the clock steps back over midnight, until they are a day old", async () => {
    const tenant = await aTenant(api);
    const first = await send(tenant, 'today');
    await moveDays(database, -1);
    expect(await emptyRotatingPartitions(orm)).toBe(true);
    const again = await send(tenant, 'today');
    expect([again.headers['idempotent-replayed'], again.text]).toEqual(['true', first.text]);
    await ageResponses(database);
    expect(await emptyRotatingPartitions(orm)).toBe(true);
    expect(await responsesOf(tenant)).toEqual([]);
  });

  it('is refused for other tables', async () => {
    await expect(database.sql(`select empty_next_slot('event')`)).rejects.toThrow('rotating partitions');
  });
});
