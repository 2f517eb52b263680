import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { dataResponse, succeeded } from '../../../api/http/response/data.ts';
import { outsideEndpoint } from '../../../api/http/outside-endpoint.ts';
import { StalePreparation } from '../../../domain/errors.ts';
import { tablesOf } from '../../../domain/tables.ts';
import { startTestApi } from '../../support/api.ts';
import { aTenant, freshId } from '../../support/factories.ts';

/** Attempts whose preparation is stale, and what ran. */
let stale = 0;
const ran = { prepare: 0, reach: 0, handle: 0 };

const contested = outsideEndpoint({
  paths: ['/v2/test/contested'],
  credentials: 'apiKey',
  summary: 'Writes what another call may have changed.',
  description: 'Writes what another call may have changed.',
  data: z.strictObject({ name: z.string() }),
  response: dataResponse(z.strictObject({ prepared: z.int() })),
  errors: [],
  example: { name: 'x' },
  outside: {
    limitMs: 600_000,
    prepare: async () => Promise.resolve((ran.prepare += 1)),
    async reach(prepared, _signal, { reserve, isLast }) {
      ran.reach += 1;
      expect(isLast).toBe(ran.reach === 4);
      // A third of the key's budget: attempts that added up would exceed it.
      await reserve(4 * 1_048_576);
      return prepared;
    },
  },
  async handle({ data: { name }, tenant, outcome }, { em }) {
    ran.handle += 1;
    const row = { api_key_id: tenant.id, ext_id: name, name };
    await tablesOf(em).insertInto('organization').values(row).execute();
    if (ran.handle <= stale) throw new StalePreparation();
    return succeeded('Written.', { prepared: outcome });
  },
});

const api = await startTestApi({ endpoints: [contested] });
const tenant = await aTenant(api);
afterAll(api.close);

beforeEach(() => {
  Object.assign(ran, { prepare: 0, reach: 0, handle: 0 });
});

const written = async (name: string): Promise<number> =>
  (await api.database.sql('select 1 from organization where ext_id = $1', [name])).length;

describe('a call whose preparation is stale', () => {
  it.each([{}, { idempotencyKey: freshId('key') }])(
    'is prepared again, and writes once: %j',
    async (options) => {
      stale = 2;
      const name = freshId('contested');
      const { status, body } = await tenant.call('/v2/test/contested', { name }, options);
      expect([status, body.result?.data]).toEqual([200, { prepared: 3 }]);
      expect(ran).toEqual({ prepare: 3, reach: 3, handle: 3 });
      expect(await written(name)).toBe(1);
    },
  );

  it('is ABORTED after four attempts, writes nothing, and a retry with its key runs', async () => {
    stale = 4;
    const options = { idempotencyKey: freshId('key') };
    const name = freshId('contested');
    const refusal = await tenant.call('/v2/test/contested', { name }, options);
    expect([refusal.status, refusal.headers['retry-after']]).toEqual([409, '1']);
    expect(ran).toEqual({ prepare: 4, reach: 4, handle: 4 });
    expect(await written(name)).toBe(0);
    expect((await tenant.call('/v2/test/contested', { name }, options)).status).toBe(200);
    expect(await written(name)).toBe(1);
  });
});
