import { beforeEach, describe, expect, it } from '@jest/globals';
import { activities } from '../../support/factories.ts';
import { explain, statementsOf } from '../../support/statements.ts';
import { activityLogsScene, comment, type ActivityLog } from './activity-logs-scene.ts';

const scene = await activityLogsScene();
const { api, tenant, add, read } = scene;

describe('reading activity logs', () => {
  beforeEach(async () => {
    await add([
      comment({ id: 'a', timestamp: 1, targetEntityId: 't1' }),
      comment({ id: 'b', timestamp: 2, actionType: 'comment.update', actionUser: { userId: 'bob' } }),
      comment({ id: 'c', timestamp: 2, featureType: 'reaction', targetEntityId: 't1' }),
      comment({ id: 'd', timestamp: 3, featureType: 'recorder' }),
    ]);
  });

  it.each([
    [{}, ['d', 'c', 'b', 'a']],
    [{ order: 'asc' }, ['a', 'b', 'c', 'd']],
    [{ targetEntityId: 't1' }, ['c', 'a']],
    [{ userId: 'bob' }, ['b']],
    [{ userId: 'nobody' }, []],
    [{ featureTypes: ['reaction', 'recorder'] }, ['d', 'c']],
    [{ actionTypes: ['comment.update'] }, ['b']],
    [{ activityIds: ['d', 'a', 'zz'] }, ['d', 'a']],
    [{ userId: 'ada', featureTypes: ['comment'], targetEntityId: 't1' }, ['a']],
  ])('combines its filters: %j', async (filter, ids) => {
    expect((await read(filter)).map(({ id }) => id)).toEqual(ids);
    expect((await read({ ...filter, documentId: scene.document.documentId })).map(({ id }) => id)).toEqual(
      ids,
    );
  });

  it('counts repeated values of a filter once', async () => {
    const featureTypes = Array.from({ length: 1_001 }, () => 'reaction');
    expect((await read({ featureTypes })).map(({ id }) => id)).toEqual(['c']);
    const actionTypes = Array.from({ length: 1_001 }, () => 'comment.update');
    expect((await read({ actionTypes })).map(({ id }) => id)).toEqual(['b']);
  });

  it('returns pages in both directions, stable while records are added', async () => {
    for (const order of ['asc', 'desc']) {
      const seen: string[] = [];
      let pageToken: string | undefined;
      do {
        const page = await tenant.ok<ActivityLog[]>('/v2/activities/get', {
          ...scene.document,
          order,
          pageSize: 1,
          ...(pageToken !== undefined && { pageToken }),
        });
        seen.push(...page.data.map(({ id }) => id));
        await add([comment({ id: `late-${order}`, timestamp: order === 'asc' ? 0 : 9 })]);
        pageToken = page.nextPageToken;
      } while (pageToken !== undefined);
      const expected = ['a', 'b', 'c', 'd'];
      const kept = seen.filter((id) => expected.includes(id));
      expect(kept).toEqual(order === 'asc' ? expected : expected.toReversed());
    }
  });

  it('rejects a forged page token also where it has nothing to return', async () => {
    for (const userId of ['ada', 'nobody']) {
      const data = { ...scene.document, userId, pageToken: 'forged' };
      const refusal = await tenant.refused('/v2/activities/get', data);
      expect(refusal.message).toBe('pageToken is not valid.');
    }
  });

  it('names the new location of a moved document, and a missing resource', async () => {
    const refusal = await tenant.refused('/v2/activities/get', { ...scene.document, documentId: 'nowhere' });
    expect([refusal.http, refusal.message]).toEqual([404, 'Document does not exist']);
  });
});

describe('statements of activity logs', () => {
  it('do not grow in number with the batch, and find their rows by an index', async () => {
    const batch = (count: number): object => ({
      ...scene.document,
      activities: activities(count, { id: undefined }),
    });
    await tenant.ok('/v2/activities/add', batch(1));
    const one = await statementsOf(() => tenant.ok('/v2/activities/add', batch(1)));
    const thousand = await statementsOf(() => tenant.ok('/v2/activities/add', batch(1_000)));
    expect(thousand).toHaveLength(one.length);
    const { organizationId } = scene.document;
    const statements = await statementsOf(async () => {
      await tenant.ok('/v2/activities/add', { ...scene.document, activities: activities(3) });
      for (const filter of [
        {},
        { userId: 'user-1' },
        { targetEntityId: 'target-1' },
        scene.document,
        { activityIds: ['a'] },
      ]) {
        await tenant.ok('/v2/activities/get', { organizationId, ...filter });
      }
      await tenant.ok('/v2/activities/delete', { organizationId, targetEntityId: 'target-1' });
    });
    for (const statement of statements.filter(({ values }) => values.length > 0)) {
      expect((await explain(api.database, statement)).wholeTables).toEqual([]);
    }
  });

  it('read no more records than a page has when one index covers the filter', async () => {
    const { organizationId, documentId } = scene.document;
    await tenant.ok('/v2/activities/add', { ...scene.document, activities: activities(1, {}) });
    const filters = [{}, { documentId }, { userId: 'user-1' }, { targetEntityId: 'target-1' }];
    for (const filter of filters) {
      const statements = await statementsOf(() =>
        tenant.ok('/v2/activities/get', { organizationId, ...filter, pageSize: 7 }),
      );
      const examined = statements.filter(({ text }) => text.includes('with examined'));
      const limits = examined.map(({ text, values }) => values[Number(/limit \$(\d+)/.exec(text)?.[1]) - 1]);
      expect(limits).toEqual([8]);
    }
  });

  it('find the records of a document by its index, regardless of the size of its organization', async () => {
    const [reading] = await statementsOf(() => tenant.ok('/v2/activities/get', scene.document)).then((sent) =>
      sent.filter(({ text }) => text.includes('with examined')),
    );
    if (reading === undefined) throw new Error('Nothing was read.');
    expect((await explain(api.database, reading)).indexes).toContain('activity_document');
  });
});
