import { describe, expect, it } from '@jest/globals';
import { aDocument, anOrganization, aTenant, freshId } from '../../support/factories.ts';
import { eventually } from '../../support/eventually.ts';
import { activityLogsScene, comment } from './activity-logs-scene.ts';

const scene = await activityLogsScene();
const { api, tenant, add, read } = scene;

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
      metadata: { apiKey: tenant.apiKey, ...scene.document },
    });
  });

  it('counts records with one id once, of which the last is stored, and each record without an id', async () => {
    const named = Array.from({ length: 999 }, (_, at) => comment({ id: `n-${String(at)}` }));
    const last = comment({ id: 'n-0', targetEntityId: 'last' });
    const { data } = await add([...named, comment(), last, last]);
    expect(data.activityIds).toHaveLength(1_000);
    expect(data.activityIds[0]).toBe('n-0');
    expect(await read({ activityIds: ['n-0'] })).toMatchObject([{ targetEntityId: 'last' }]);
    const refusal = await tenant.refused('/v2/activities/add', {
      ...scene.document,
      activities: [...named, comment(), comment()],
    });
    expect(refusal.message).toBe('activities must hold 1 to 1000 items, not 1001.');
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
    const second = await aDocument(tenant, { organizationId: scene.document.organizationId });
    await tenant.ok('/v2/activities/add', { ...second, activities: [comment({ id: 'a1', entityData: 3 })] });
    expect(await read()).toMatchObject([{ entityData: 3, metadata: { documentId: second.documentId } }]);
    expect(await read({ documentId: scene.document.documentId })).toEqual([]);
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
      ...scene.document,
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
      { path: 'data.activities[1].targetEntityId', message: 'Target entity ID is required' },
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
    [comment({ timestamp: -1 }), 'activities[0].timestamp must be an integer from 0 to 253402300799999.'],
    [comment({ surprise: 1 }), 'Unknown member: activities[0].surprise.'],
  ])('refuses a record that breaks a rule: %#', async (record, message) => {
    const refusal = await tenant.refused('/v2/activities/add', { ...scene.document, activities: [record] });
    expect([refusal.status, refusal.message]).toEqual(['INVALID_ARGUMENT', message]);
    expect(await read()).toEqual([]);
  });

  it('refuses more than 1,000 distinct users per call', async () => {
    const entityData = Array.from({ length: 1_000 }, (_, number) => ({ userId: `u${String(number)}` }));
    const refusal = await tenant.refused('/v2/activities/add', {
      ...scene.document,
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
      [scene.document.documentId],
    );
    expect(named.map(({ ext_id }) => ext_id)).toEqual(['grace', 'hedy', 'joan']);
  });

  it('stores the users that an overwritten record names, and none of a deleted one', async () => {
    const { organizationId } = scene.document;
    const named = async () => {
      const rows = await api.database.sql<{ ext_id: string }>(
        `select u.ext_id from record_user r join app_user u on u.id = r.user_id
           join organization o on o.id = r.org_id where o.ext_id = $1 order by 1`,
        [organizationId],
      );
      return rows.map(({ ext_id }) => ext_id);
    };
    await add([comment({ id: 'a', entityData: { by: { userId: 'grace' }, to: { userId: 'hedy' } } })]);
    await add([comment({ id: 'a', entityData: { by: { userId: 'hedy' }, to: { userId: 'joan' } } })]);
    expect(await named()).toEqual(['hedy', 'joan']);
    const activities = [{ id: 'a', entityData: { by: { userId: 'joan' } } }];
    await tenant.ok('/v2/activities/update', { organizationId, activities });
    expect(await named()).toEqual(['joan']);
    await add([comment({ id: 'a' })]);
    expect(await named()).toEqual([]);
    await add([comment({ id: 'a', entityData: { by: { userId: 'grace' } } })]);
    await tenant.ok('/v2/activities/delete', { organizationId, activityIds: ['a'] });
    expect(await named()).toEqual([]);
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
      ...scene.document,
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
