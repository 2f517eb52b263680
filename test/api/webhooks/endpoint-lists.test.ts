import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import type { TestTenant } from '../../support/factories.ts';
import { aListeningTenant } from '../../support/webhooks.ts';
import { at, create, list } from './webhook-calls.ts';

const api = await startTestApi();
afterAll(api.close);

async function withEndpoints(count: number): Promise<{ tenant: TestTenant; ids: string[] }> {
  const tenant = await aListeningTenant(api);
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1) ids.push((await create(tenant)).id);
  return { tenant, ids };
}

const idsOf = ({ endpoints }: { endpoints: readonly { id: string }[] }) => endpoints.map(({ id }) => id);

describe('a list of endpoints', () => {
  it('returns pages forward and backward in order of creation', async () => {
    const { tenant, ids } = await withEndpoints(5);
    const first = await list(tenant, { limit: 2 });
    expect([idsOf(first), first.prevIterator, first.done]).toEqual([ids.slice(0, 2), null, false]);
    const second = await list(tenant, { limit: 2, iterator: first.iterator });
    expect([idsOf(second), second.done]).toEqual([ids.slice(2, 4), false]);
    const third = await list(tenant, { limit: 2, iterator: second.iterator });
    expect([idsOf(third), third.iterator, third.done]).toEqual([ids.slice(4), null, true]);
    const back = await list(tenant, { limit: 2, iterator: third.prevIterator });
    expect([idsOf(back), back.done]).toEqual([ids.slice(2, 4), false]);
    const start = await list(tenant, { limit: 2, iterator: back.prevIterator });
    expect([idsOf(start), start.prevIterator]).toEqual([ids.slice(0, 2), null]);
    const again = await list(tenant, { limit: 2, iterator: start.iterator });
    expect(idsOf(again)).toEqual(ids.slice(2, 4));
  });

  it('is done exactly when its iterator is null', async () => {
    const { tenant } = await withEndpoints(4);
    for (const limit of [1, 2, 3, 4, 5, 250]) {
      let iterator: string | null | undefined;
      let seen = 0;
      do {
        const page = await list(tenant, { limit, ...(iterator !== undefined && { iterator }) });
        expect(page.done).toBe(page.iterator === null);
        seen += page.endpoints.length;
        ({ iterator } = page);
      } while (iterator !== null);
      expect(seen).toBe(4);
    }
  });

  it('neither skips nor repeats endpoints while others are created and deleted', async () => {
    const { tenant, ids } = await withEndpoints(4);
    const first = await list(tenant, { limit: 2 });
    const added = await create(tenant);
    await tenant.ok(at('endpoints/delete'), { endpointId: ids[2] });
    const second = await list(tenant, { limit: 2, iterator: first.iterator });
    expect(idsOf(second)).toEqual([ids[3], added.id]);
    await tenant.ok(at('endpoints/delete'), { endpointId: ids[1] });
    const back = await list(tenant, { limit: 2, iterator: second.prevIterator });
    expect(idsOf(back)).toEqual([ids[0]]);
    expect(back.prevIterator).toBeNull();
  });

  it('continues after a page whose endpoints were all deleted', async () => {
    const { tenant, ids } = await withEndpoints(3);
    const first = await list(tenant, { limit: 2 });
    await tenant.ok(at('endpoints/delete'), { endpointId: ids[2] });
    const empty = await list(tenant, { limit: 2, iterator: first.iterator });
    expect([idsOf(empty), empty.done]).toEqual([[], true]);
    const back = await list(tenant, { limit: 2, iterator: empty.prevIterator });
    expect(idsOf(back)).toEqual(ids.slice(0, 2));
  });

  it('returns 50 endpoints by default and at most 250', async () => {
    const { tenant } = await withEndpoints(51);
    expect((await list(tenant)).endpoints).toHaveLength(50);
    expect((await list(tenant, { limit: 250 })).endpoints).toHaveLength(51);
    for (const limit of [0, 251, 1.5]) {
      expect(await tenant.refused(at('endpoints/get'), { limit })).toMatchObject({
        http: 400,
        message: 'limit must be an integer from 1 to 250.',
      });
    }
  });

  it('rejects iterators of other lists', async () => {
    const { tenant } = await withEndpoints(2);
    const { iterator } = await list(tenant, { limit: 1 });
    const other = await aListeningTenant(api);
    const [begin = '', ...rest] = String(iterator);
    const damaged = [begin === 'A' ? 'B' : 'A', ...rest].join('');
    for (const [caller, sent] of [
      [other, iterator],
      [tenant, damaged],
      [tenant, ''],
      [tenant, 'null'],
    ] as const) {
      expect(await caller.refused(at('endpoints/get'), { iterator: sent })).toMatchObject({
        http: 400,
        status: 'INVALID_ARGUMENT',
        message: 'iterator is not valid.',
      });
    }
    expect(await tenant.refused(at('endpoints/get'), { iterator: null })).toMatchObject({
      message: 'iterator must not be null.',
    });
  });
});
