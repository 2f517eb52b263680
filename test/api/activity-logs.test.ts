import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import {
  activities,
  aDocument,
  addActivityLogs,
  anOrganization,
  aTenant,
  freshId,
  withActivityLogs,
  type TestDocument,
  type TestTenant,
} from '../support/factories.ts';
import { eventually } from '../support/eventually.ts';
import { explain, statementsOf } from '../support/statements.ts';

let api: TestApi;
let tenant: TestTenant;
let place: TestDocument;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await withActivityLogs(await aTenant(api));
});
afterAll(async () => api.close());
beforeEach(async () => {
  place = await aDocument(tenant);
});

interface Activity {
  readonly id: string;
  readonly timestamp: number;
  readonly [member: string]: unknown;
}

async function read(more: object = {}): Promise<Activity[]> {
  const data = { organizationId: place.organizationId, ...more };
  return (await tenant.ok<Activity[]>('/v2/activities/get', data)).data;
}

const comment = (members: object = {}): object => ({
  featureType: 'comment',
  actionType: 'comment.add',
  actionUser: { userId: 'ada', name: 'Ada' },
  ...members,
});

async function add(records: readonly object[], more: object = {}) {
  return tenant.ok<{ activityIds: string[] }>('/v2/activities/add', {
    ...place,
    activities: records,
    ...more,
  });
}

describe('adding activity logs', () => {
  it('returns their ids in order, and stores what was sent with time and location', async () => {
    const record = comment({
      id: 'a1',
      timestamp: 1_700_000_000_000,
      targetEntityId: 't',
      changes: { status: { from: 'open', to: 'done' }, __proto__: undefined },
      entityData: { text: 'héllo', nested: [1, { deep: null }] },
      displayMessageTemplate: '{{actionUser}} did it',
      metadata: { mine: 'dropped' },
    });
    const result = await add([record, comment()]);
    expect(result).toEqual({
      status: 'success',
      message: 'Activity(s) added successfully.',
      data: {
        success: true,
        message: 'Activity(s) added successfully.',
        activityIds: ['a1', expect.stringMatching(/^act_/)],
      },
    });
    const [first] = await read({ activityIds: ['a1'] });
    expect(first).toEqual({
      ...record,
      metadata: { apiKey: tenant.apiKey, ...place },
    });
  });

  it('is refused while the service is off, and names the call that turns it on', async () => {
    const off = await aTenant(api);
    const document = await aDocument(off);
    const refusal = await off.refused('/v2/activities/add', { ...document, activities: [comment()] });
    expect([refusal.http, refusal.status, refusal.message]).toEqual([
      400,
      'FAILED_PRECONDITION',
      'Activity service is not enabled. Enable it with POST /v2/workspace/activityconfig/update.',
    ]);
  });

  it('returns NOT_FOUND without its document, unless flags create what is missing', async () => {
    const organizationId = freshId('organization');
    const data = { organizationId, documentId: 'd', activities: [comment()] };
    const noOrganization = await tenant.refused('/v2/activities/add', data);
    expect(noOrganization.message).toContain('send createOrganization: true.');
    await anOrganization(tenant, { organizationId });
    const noDocument = await tenant.refused('/v2/activities/add', data);
    expect([noDocument.http, noDocument.message]).toEqual([
      404,
      'Document does not exist. Add it with POST /v2/organizations/documents/add or send createDocument: true.',
    ]);
    await tenant.ok('/v2/activities/add', { ...data, createDocument: true });
    const other = { ...data, organizationId: freshId('organization') };
    await tenant.ok('/v2/activities/add', { ...other, createOrganization: true, createDocument: true });
  });

  it('overwrites by id, also from another document, and keeps the time when none is sent', async () => {
    await add([comment({ id: 'a1', timestamp: 5, entityData: 1 })]);
    await add([comment({ id: 'a1', entityData: 2 })]);
    expect(await read()).toMatchObject([{ id: 'a1', timestamp: 5, entityData: 2 }]);
    const second = await aDocument(tenant, { organizationId: place.organizationId });
    await tenant.ok('/v2/activities/add', { ...second, activities: [comment({ id: 'a1', entityData: 3 })] });
    expect(await read()).toMatchObject([{ entityData: 3, metadata: { documentId: second.documentId } }]);
    expect(await read({ documentId: place.documentId })).toEqual([]);
  });

  it('overwrites a record that a concurrent call adds after the lookup', async () => {
    await add([comment({ id: 'before' })]);
    const other = await api.database.connect();
    await other.query('begin');
    await other.query(
      `insert into activity (api_key_id, org_id, document_id, ext_id, ts, feature, action_type, actor_id, content_hash, body)
       select api_key_id, org_id, document_id, 'contested', 7, feature, action_type, actor_id, content_hash, body
       from activity where api_key_id = $1 and ext_id = 'before' order by id desc limit 1`,
      [tenant.id],
    );
    const added = add([comment({ id: 'contested', entityData: 'mine' }), comment({ id: 'beside' })]);
    await eventually(async () => {
      const waiting = await api.database.sql(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return waiting.length > 0;
    });
    await other.query('commit');
    expect((await added).data.activityIds).toEqual(['contested', 'beside']);
    expect(await read({ activityIds: ['contested', 'beside'] })).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: 'contested', timestamp: 7, entityData: 'mine' }),
        expect.objectContaining({ id: 'beside' }),
      ]),
    );
  });

  it('stores the last of two records with one id, at the position of the first', async () => {
    const { data } = await add([
      comment({ id: 'x', entityData: 1 }),
      comment({ id: 'y' }),
      comment({ id: 'x', entityData: 2 }),
    ]);
    expect(data.activityIds).toEqual(['x', 'y']);
    expect(await read({ activityIds: ['x'] })).toMatchObject([{ entityData: 2 }]);
  });

  it('writes all records or none', async () => {
    const refusal = await tenant.refused('/v2/activities/add', {
      ...place,
      activities: [
        comment({ id: 'good' }),
        { featureType: 'custom', actionType: 'no spaces', actionUser: {} },
      ],
    });
    expect(refusal.details.issues).toEqual([
      {
        path: 'data.activities[1].actionType',
        message: 'activities[1].actionType must be 1 to 100 of the characters A-Z a-z 0-9 _ . : -.',
      },
      {
        path: 'data.activities[1].actionUser.userId',
        message: 'activities[1].actionUser.userId is required.',
      },
    ]);
    expect(await read()).toEqual([]);
  });

  it.each([
    [comment({ featureType: 'custom' }), 'Target entity ID is required'],
    [
      comment({ featureType: 'chat' }),
      'activities[0].featureType must be one of: comment, reaction, recorder, crdt, custom.',
    ],
    [comment({ changes: [] }), 'activities[0].changes must be an object.'],
    [comment({ entityData: 'x'.repeat(262_144) }), 'activities[0] must be at most 256 KiB.'],
    [comment({ timestamp: 1.5 }), 'activities[0].timestamp must be an integer.'],
    [comment({ surprise: 1 }), 'Unknown member: activities[0].surprise.'],
  ])('refuses a record that breaks a rule: %#', async (record, message) => {
    const refusal = await tenant.refused('/v2/activities/add', { ...place, activities: [record] });
    expect([refusal.status, refusal.message]).toEqual(['INVALID_ARGUMENT', message]);
    expect(await read()).toEqual([]);
  });

  it('refuses more than 1,000 distinct users per call', async () => {
    const entityData = Array.from({ length: 1_000 }, (_, number) => ({ userId: `u${String(number)}` }));
    const refusal = await tenant.refused('/v2/activities/add', {
      ...place,
      activities: [comment({ entityData })],
    });
    expect(refusal.message).toBe('activities must name at most 1000 different users, not 1001.');
  });

  it('stores every user that a record names', async () => {
    await add([
      comment({
        entityData: { mentions: { grace: true }, by: { userId: 'joan' } },
        displayMessageTemplateData: { to: [{ userId: 'hedy' }] },
      }),
    ]);
    const named = await api.database.sql<{ ext_id: string }>(
      `select u.ext_id from record_user r join app_user u on u.id = r.user_id
       join activity a on a.id = r.record_id join document d on d.id = a.document_id where d.ext_id = $1 order by 1`,
      [place.documentId],
    );
    expect(named.map(({ ext_id }) => ext_id)).toEqual(['grace', 'hedy', 'joan']);
  });

  it('refuses all records of the call when one names a fenced user', async () => {
    const userId = freshId('user');
    await add([comment({ actionUser: { userId } })]);
    const [job] = await api.database.sql<{ id: string }>(
      `insert into job (api_key_id, public_id, kind) values ($1, $2, 2) returning id`,
      [tenant.id, freshId('job')],
    );
    await api.database.sql(
      `insert into user_deletion (job_id, user_id, user_ext_id, api_key_id, fenced_at)
       select $1, id, ext_id, $2, now() from app_user where ext_id = $3`,
      [job?.id, tenant.id, userId],
    );
    const refusal = await tenant.refused('/v2/activities/add', {
      ...place,
      activities: [comment(), comment({ entityData: { userId } })],
    });
    expect([refusal.status, refusal.message, refusal.details['userIds']]).toEqual([
      'FAILED_PRECONDITION',
      'User data deletion is in progress.',
      [userId],
    ]);
    expect(await read()).toHaveLength(1);
  });
});

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
    expect((await read({ ...filter, documentId: place.documentId })).map(({ id }) => id)).toEqual(ids);
  });

  it('pages in both directions, stable while records are added', async () => {
    for (const order of ['asc', 'desc']) {
      const seen: string[] = [];
      let pageToken: string | undefined;
      do {
        const page = await tenant.ok<Activity[]>('/v2/activities/get', {
          ...place,
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

  it('names the new location of a moved document, and what does not exist', async () => {
    const refusal = await tenant.refused('/v2/activities/get', { ...place, documentId: 'nowhere' });
    expect([refusal.http, refusal.message]).toEqual([404, 'Document does not exist']);
  });
});

describe('updating activity logs', () => {
  it('replaces members whole, one record at a time, and keeps the others', async () => {
    await add([comment({ id: 'a', entityData: { x: 1, y: 2 }, actionIcon: 'pen' })]);
    const result = await tenant.ok('/v2/activities/update', {
      organizationId: place.organizationId,
      activities: [
        { id: 'a', entityData: { x: 3 } },
        { id: 'zz', actionIcon: 'no' },
      ],
    });
    expect(result).toEqual({
      status: 'success',
      message: 'Activity(s) updated successfully.',
      data: {
        a: { success: true, id: 'a', message: 'Activity updated.' },
        zz: { success: false, id: 'zz', message: 'Failed to update activity.', code: 'not-found' },
      },
      failedCount: 1,
    });
    expect(await read()).toMatchObject([{ entityData: { x: 3 }, actionIcon: 'pen' }]);
  });

  it('refuses an update without a member to change', async () => {
    const refusal = await tenant.refused('/v2/activities/update', {
      organizationId: place.organizationId,
      activities: [{ id: 'a' }],
    });
    expect(refusal.message).toBe('activities[0] must hold at least one member besides id.');
  });
});

describe('immutable activity logs', () => {
  it('refuse update, deletion and an overwrite with other content, and allow the same again', async () => {
    const owner = await withActivityLogs(await aTenant(api));
    const document = await aDocument(owner);
    const records = [comment({ id: 'a' })];
    await owner.ok('/v2/activities/add', { ...document, activities: records });
    await owner.ok('/v2/workspace/activityconfig/update', { activityServiceConfig: { immutable: true } });
    await owner.ok('/v2/activities/add', { ...document, activities: records });
    const overwrite = await owner.refused('/v2/activities/add', {
      ...document,
      activities: [comment({ id: 'new' }), comment({ id: 'a', entityData: 1 })],
    });
    expect([overwrite.status, overwrite.message]).toEqual([
      'FAILED_PRECONDITION',
      'Activity logs are immutable.',
    ]);
    const { organizationId } = document;
    const updated = await owner.ok('/v2/activities/update', {
      organizationId,
      activities: [{ id: 'a', entityData: 1 }],
    });
    expect(updated.data).toEqual({
      a: { success: false, id: 'a', message: 'Failed to update activity.', code: 'failed-precondition' },
    });
    const deleted = await owner.ok('/v2/activities/delete', { organizationId, activityIds: ['a', 'zz'] });
    expect([deleted.deletedCount, deleted.data]).toEqual([
      0,
      {
        a: { success: false, id: 'a', message: 'Failed to delete activity.', code: 'failed-precondition' },
        zz: { success: false, id: 'zz', message: 'Failed to delete activity.', code: 'not-found' },
      },
    ]);
  });
});

describe('deleting activity logs', () => {
  it.each([
    [{ activityIds: ['a', 'zz'] }, ['a']],
    [{ targetEntityId: 't1' }, ['a', 'c']],
    [{ documentId: 'here' }, ['a', 'b']],
    [{ documentId: 'here', targetEntityId: 't1' }, ['a']],
    [{ documentId: 'here', activityIds: ['a', 'c'] }, ['a']],
  ])('by %j removes just those', async (selection, removed) => {
    const second = await aDocument(tenant, { organizationId: place.organizationId });
    await add([comment({ id: 'a', targetEntityId: 't1' }), comment({ id: 'b' })]);
    await tenant.ok('/v2/activities/add', {
      ...second,
      activities: [comment({ id: 'c', targetEntityId: 't1' }), comment({ id: 'd' })],
    });
    const result = await tenant.ok<Record<string, { success: boolean }>>('/v2/activities/delete', {
      organizationId: place.organizationId,
      ...selection,
      ...('documentId' in selection && { documentId: place.documentId }),
    });
    expect(result.message).toBe('Activity(s) deleted successfully.');
    expect(result.deletedCount).toBe(removed.length);
    const succeeded = Object.entries(result.data).filter(([, { success }]) => success);
    expect(succeeded.map(([id]) => id).toSorted()).toEqual(removed);
    const left = (await read()).map(({ id }) => id).toSorted();
    expect(left).toEqual(['a', 'b', 'c', 'd'].filter((id) => !removed.includes(id)));
  });

  it('refuses a request without a filter', async () => {
    const refusal = await tenant.refused('/v2/activities/delete', { organizationId: place.organizationId });
    expect([refusal.status, refusal.message]).toEqual([
      'INVALID_ARGUMENT',
      'At least one of documentId, targetEntityId or activityIds must be provided.',
    ]);
  });

  it('removes 1,000 in the call and names the job that removes the rest', async () => {
    await addActivityLogs(tenant, place, activities(1_500));
    const result = await tenant.ok<object>('/v2/activities/delete', place);
    expect(result.deletedCount).toBe(1_000);
    expect(Object.keys(result.data)).toHaveLength(1_000);
    expect(result.jobId).toMatch(/^job_/);
  });
});

describe('statements of activity logs', () => {
  it('do not grow in number with the batch, and find their rows by an index', async () => {
    const batch = (count: number): object => ({ ...place, activities: activities(count, { id: undefined }) });
    await tenant.ok('/v2/activities/add', batch(1));
    const one = await statementsOf(() => tenant.ok('/v2/activities/add', batch(1)));
    const thousand = await statementsOf(() => tenant.ok('/v2/activities/add', batch(1_000)));
    expect(thousand).toHaveLength(one.length);
    const { organizationId } = place;
    const statements = await statementsOf(async () => {
      await tenant.ok('/v2/activities/add', { ...place, activities: activities(3) });
      for (const filter of [
        {},
        { userId: 'user-1' },
        { targetEntityId: 'target-1' },
        place,
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

  it('look at no more records than a page has where one index settles the filter', async () => {
    const { organizationId, documentId } = place;
    await tenant.ok('/v2/activities/add', { ...place, activities: activities(1, {}) });
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
    const [reading] = await statementsOf(() => tenant.ok('/v2/activities/get', place)).then((sent) =>
      sent.filter(({ text }) => text.includes('with examined')),
    );
    if (reading === undefined) throw new Error('Nothing was read.');
    expect((await explain(api.database, reading)).indexes).toContain('activity_document');
  });
});
