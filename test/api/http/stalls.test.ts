import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { z } from 'zod';
import { dataResponse, succeeded } from '../../../api/http/response/data.ts';
import { endpoint } from '../../../api/http/endpoint.ts';
import { groupedEndpoint } from '../../../api/http/grouped-endpoint.ts';
import { tablesOf } from '../../../domain/tables.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { aTenant, freshId, type TestTenant } from '../../support/factories.ts';
import { eventually } from '../../support/eventually.ts';
import { stall } from '../../support/stall.ts';
import { stallMidway } from './stalls.ts';

const data = z.strictObject({ name: z.string(), stalls: z.boolean() });
type Request = z.output<typeof data>;
const response = dataResponse(z.null());

/** Writes, computes beyond PostgreSQL's idle-in-transaction timeout, and writes again. */
async function write(em: EntityManager, tenantId: string, { name, stalls }: Request): Promise<void> {
  const insert = async (id: string) =>
    tablesOf(em).insertInto('organization').values({ api_key_id: tenantId, ext_id: id, name: id }).execute();
  // Only here: a slow machine may be idle for 100 ms in the other calls.
  if (stalls)
    await sql`select set_config('idle_in_transaction_session_timeout', '100', true)`.execute(tablesOf(em));
  await insert(`${name}-first`);
  if (stalls) stall(500);
  await insert(`${name}-second`);
}

const shared = {
  credentials: 'apiKey',
  summary: 'Stalls.',
  description: 'Stalls.',
  data,
  response,
  errors: [],
} as const;
const example = { name: 'x', stalls: false };

const alone = endpoint({
  ...shared,
  paths: ['/v2/test/alone'],
  mutates: true,
  example,
  async handle({ data, tenant }, { em }) {
    await write(em, tenant.id, data);
    return succeeded('Done.', null);
  },
});

const together = groupedEndpoint({
  ...shared,
  paths: ['/v2/test/together'],
  example,
  async handleTogether(calls, { em }) {
    for (const { data, tenant } of calls) await write(em, tenant.id, data);
    return calls.map(() => succeeded('Done.', null));
  },
});

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi({ endpoints: [alone, together] });
  tenant = await aTenant(api);
});

afterAll(async () => api.close());

const names = async (name: string): Promise<string[]> => {
  const found = await api.database.sql<{ ext_id: string }>(
    'select ext_id from organization where starts_with(ext_id, $1) order by id',
    [name],
  );
  return found.map(({ ext_id }) => ext_id);
};

describe('a call in whose transaction the event loop stalls', () => {
  it.each(['/v2/test/alone', '/v2/test/together'])(
    'returns UNAVAILABLE, writes nothing and can be retried: %s',
    async (path) => {
      const name = freshId('stalled');
      const refusal = await tenant.refused(path, { name, stalls: true });
      expect([refusal.http, refusal.status, refusal.headers['retry-after']]).toEqual([
        503,
        'UNAVAILABLE',
        '1',
      ]);
      expect(await names(name)).toEqual([]);
      expect((await tenant.call(path, { name, stalls: false })).status).toBe(200);
      expect(await names(name)).toEqual([`${name}-first`, `${name}-second`]);
    },
  );

  it('stores nothing for its Idempotency-Key, so a retry runs', async () => {
    const name = freshId('stalled');
    const options = { idempotencyKey: name };
    expect((await tenant.call('/v2/test/alone', { name, stalls: true }, options)).status).toBe(503);
    expect(await names(name)).toEqual([]);
    expect((await tenant.call('/v2/test/alone', { name, stalls: true }, options)).status).toBe(503);
    expect(await names(name)).toEqual([]);
  });

  it('fails the calls that share its transaction without partial writes', async () => {
    const calls = Array.from({ length: 20 }, (_, index) => ({
      name: freshId('shared'),
      stalls: index === 10,
    }));
    const responses = await Promise.all(calls.map(async (call) => tenant.call('/v2/test/together', call)));
    for (const [index, { status }] of responses.entries()) {
      const { name } = calls[index] ?? { name: '' };
      const written = status === 200 ? [`${name}-first`, `${name}-second`] : [];
      expect([200, 503]).toContain(status);
      expect(await names(name)).toEqual(written);
    }
    expect(responses[10]?.status).toBe(503);
  });
});

describe('an API process that is stopped during calls', () => {
  it('returns UNAVAILABLE for each call, writes nothing and serves again', async () => {
    await stallMidway(api, async (idleSessions) => {
      await api.database.sql(`select pg_terminate_backend(pid) ${idleSessions}`);
      await eventually(async () => (await api.database.sql(`select ${idleSessions}`)).length === 0);
    });
  });
});
