import { describe, expect, it } from '@jest/globals';
import { reversedMembers } from '../../support/reversed-members.ts';
import { rowsOf } from '../../support/rows.ts';
import { withListeners } from '../../support/webhooks.ts';
import { activityLogsScene, comment } from './activity-logs-scene.ts';

const scene = await activityLogsScene();
const { api, tenant, add, read } = scene;
await withListeners(tenant, api);

const rows = async () => rowsOf(api.database, tenant.id);

const events = async () => (await rows())['event']?.length ?? 0;

const record = (id: string, members: object = {}) =>
  comment({
    id,
    targetEntityId: 't',
    changes: { status: { from: 'open', to: 'done' }, ['__proto__']: { b: 1, a: 2 } },
    entityData: { text: 'héllo 🦊', list: [{ y: 1, x: 2 }, 3], 10: 'ten', 9: 'nine' },
    displayMessageTemplateData: { user: { userId: 'ben', name: 'Ben' } },
    ...members,
  });

describe('a repeated activity log with its members in another order', () => {
  it('changes nothing and emits nothing', async () => {
    const records = ['a', 'b', 'c'].map((id) => record(id));
    await add(records);
    const before = await rows();
    expect((await add(reversedMembers(records))).data.activityIds).toEqual(['a', 'b', 'c']);
    expect(await rows()).toEqual(before);
  });

  it('does not count as a change of an immutable log, unlike other content of equal length', async () => {
    await add([record('a')]);
    await tenant.ok('/v2/workspace/activityconfig/update', { activityServiceConfig: { immutable: true } });
    const before = await rows();
    await add([reversedMembers(record('a'))]);
    const changed = record('a', { targetEntityId: 'u' });
    const refusal = await tenant.refused('/v2/activities/add', { ...scene.document, activities: [changed] });
    expect(refusal.message).toBe('Activity logs are immutable.');
    expect(await rows()).toEqual(before);
    await tenant.ok('/v2/workspace/activityconfig/update', { activityServiceConfig: { immutable: false } });
  });

  it('is not written together with new and changed logs, each of which emits an event', async () => {
    await add([record('same'), record('changed'), record('longer'), record('retimed')]);
    const [first] = await read({ activityIds: ['same'] });
    const before = await events();
    const list = [3, { y: 1, x: 2 }];
    await add([
      reversedMembers(record('same')),
      reversedMembers(record('changed', { entityData: { text: 'héllo 🦊', list, 10: 'ten', 9: 'nine' } })),
      record('longer', { entityData: { text: 'longer' } }),
      reversedMembers(record('retimed', { timestamp: 5 })),
      record('new'),
    ]);
    expect((await events()) - before).toBe(4);
    expect(await read({ activityIds: ['same', 'changed', 'longer', 'retimed'] })).toEqual(
      expect.arrayContaining([
        first,
        expect.objectContaining({ id: 'changed', entityData: expect.objectContaining({ list }) }),
        expect.objectContaining({ id: 'longer', entityData: { text: 'longer' } }),
        expect.objectContaining({ id: 'retimed', timestamp: 5 }),
      ]),
    );
  });
});
