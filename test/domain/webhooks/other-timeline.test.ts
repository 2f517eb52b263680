import { describe, expect, it } from '@jest/globals';
import { noticeRestore } from '../../../domain/restores/epochs.ts';
import { deliveryScene } from './delivery-scene.ts';

const { api, database, turn, queued, epochs, listening } = await deliveryScene();

describe('the first message after a failover', () => {
  it('carries a new epoch without a sweep, and later ones carry the same', async () => {
    const { tenant, receiver, endpoint } = await listening();
    const sent = async () => {
      await queued(tenant);
      await turn(tenant, endpoint);
      return receiver.delivered.at(-1)?.headers['webhook-epoch'];
    };
    await noticeRestore(api.orm.em.fork());
    expect(await sent()).toBe('1');
    await database.sql(`update restore_state set identity = left(identity, -8) || '000000FF'`);
    const epoch = await sent();
    expect(Number(epoch)).toBeGreaterThan(1);
    expect([await sent(), epochs]).toEqual([epoch, [epoch]]);
    expect(await noticeRestore(api.orm.em.fork())).toBeUndefined();
  });

  it('carries the same epoch where no identity of the database is stored', async () => {
    const { tenant, receiver, endpoint } = await listening();
    await database.sql('delete from restore_state');
    await queued(tenant);
    await turn(tenant, endpoint);
    expect(receiver.delivered.map(({ headers }) => headers['webhook-epoch'])).toEqual(['1']);
  });
});
