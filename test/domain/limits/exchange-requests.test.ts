import { afterAll, describe, expect, it } from '@jest/globals';
import { exchangeRequests } from '../../../domain/limits/exchange-requests.ts';
import { startTestApi } from '../../support/api.ts';
import { aTenant } from '../../support/factories.ts';

const api = await startTestApi();
afterAll(api.close);

const report = (tenantId: string, admitted: number, received = admitted) => ({
  tenantId,
  perSecond: 10,
  burst: 100,
  admitted,
  received,
});

describe('the exchange of requests', () => {
  it('subtracts admitted requests from the bucket of the key, and counts received ones', async () => {
    const { id } = await aTenant(api);
    const [first] = await exchangeRequests(api.orm.em.fork(), [report(id, 50, 60)]);
    // The burst, and the tokens of one second.
    expect(first).toEqual({ tenantId: id, level: 60, received: 60 });
    const [second] = await exchangeRequests(api.orm.em.fork(), [report(id, 20, 20)]);
    expect(second?.received).toBe(80);
    expect(second?.level).toBeGreaterThan(40);
    await api.database.sql(
      `update request_bucket set filled_at = now() - interval '1 day' where api_key_id = $1`,
      [id],
    );
    const [rested] = await exchangeRequests(api.orm.em.fork(), [report(id, 10)]);
    expect(rested?.level).toBe(100);
  });

  it('limits the debt of a key to its burst and one second', async () => {
    const { id } = await aTenant(api);
    const [found] = await exchangeRequests(api.orm.em.fork(), [report(id, 1)]);
    expect(found?.level).toBe(109);
    const [indebted] = await exchangeRequests(api.orm.em.fork(), [report(id, 1_000)]);
    expect(indebted?.level).toBe(-110);
  });

  it('writes no row of a deleted key', async () => {
    expect(await exchangeRequests(api.orm.em.fork(), [report('999999', 1)])).toEqual([]);
    const { id } = await aTenant(api);
    await api.database.sql('update api_key set deleted_at = now() where id = $1', [id]);
    expect(await exchangeRequests(api.orm.em.fork(), [report(id, 1)])).toEqual([]);
  });

  it('accepts any number of keys', async () => {
    const tenants = await Promise.all([aTenant(api), aTenant(api)]);
    const reports = tenants.map(({ id }) => report(id, 1));
    const found = await exchangeRequests(api.orm.em.fork(), reports);
    expect(found.map(({ tenantId }) => tenantId).toSorted()).toEqual(tenants.map(({ id }) => id).toSorted());
  });
});
