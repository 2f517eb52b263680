import { afterAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { personalDataKinds } from '../../domain/deletion/stores/personal-data-store.ts';
import { eventually } from '../support/eventually.ts';
import { activities, addActivityLogs, aDocument, freshId } from '../support/factories.ts';
import { aPerson, aPreparedTenant, deleteData, deletionOf, endedDeletion, rowsWith } from './deletions.ts';
import { deletionScene } from './deletion-scene.ts';

const { installation, tenant, sql, eventsOf, checked } = await deletionScene();

const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } = installation.temporal;
const connection = await Connection.connect({ address: address ?? '' });
afterAll(() => connection.close());
const client = new Client({ connection, namespace: namespace ?? '' });

describe('deleting a user', () => {
  it('removes the records of every kind, signs a receipt, and keeps records of others', async () => {
    const { userId, colleague, location } = await aPerson(tenant);
    const jobId = await deleteData(tenant, { userIds: [userId] });
    const status = await endedDeletion(tenant, jobId);
    expect(status).toMatchObject({
      status: 'completed',
      phase: null,
      tasksLeft: 0,
      isDeleteCompleted: true,
      lastTaskCompletedTime: expect.any(Number),
      verified: true,
      late: false,
      counts: {
        memberships: 2,
        grants: 1,
        groups: 1,
        preferences: 1,
        notificationsReceived: 1,
        notificationsCaused: 1,
        activities: 3,
        agentExecutions: 1,
        crdtRecords: 1,
        user: 1,
      },
    });
    expect(status.lastTaskCompletedTime).toBe(status.completedAt);
    expect(status.counts.mentions).toBeGreaterThanOrEqual(2);
    expect(await rowsWith(installation.api, tenant, userId)).toEqual([]);
    expect(await rowsWith(installation.api, tenant, 'Lovelace')).toEqual([]);
    const { data } = await tenant.ok<unknown[]>('/v2/activities/get', location);
    expect(data).toHaveLength(6);
    expect(JSON.stringify(data)).toContain(colleague);
    const users = await tenant.ok<{ userId: string }[]>('/v2/users/get', {
      organizationId: location.organizationId,
    });
    expect(users.data.map((user) => user.userId)).toEqual([colleague]);
  });

  it('signs a receipt that anyone can verify and that contains no name or id of the user', async () => {
    const { userId } = await aPerson(tenant);
    const { receipt, jobId, counts } = await endedDeletion(
      tenant,
      await deleteData(tenant, { userIds: [userId, 'nobody'] }),
    );
    if (receipt === null) throw new Error('There is no receipt.');
    const { jws, ...said } = receipt;
    expect(said).toEqual({
      jobId,
      organizationIds: null,
      users: [expect.any(String), expect.any(String)],
      counts,
      unfinished: [],
      completedAt: expect.any(Number),
      verifiedAt: expect.any(Number),
    });
    const signed = await checked(receipt);
    expect(signed?.payload).toEqual({ iss: 'steward', aud: tenant.apiKey, ...said });
    expect(signed?.header).toMatchObject({ alg: 'EdDSA', typ: 'user-data-deletion-receipt+jws' });
    expect(JSON.stringify([receipt, signed])).not.toContain(userId);
    const forged = jws.replace(/\.[^.]+\./, `.${Buffer.from('{}').toString('base64url')}.`);
    expect(await checked({ jws: forged })).toBeUndefined();
    const kept = await sql<{ years: number }>(
      `select extract(day from expires_at - now())::int as years from user_data_deletion where public_id = $1`,
      [jobId],
    );
    expect(kept[0]?.years).toBeGreaterThanOrEqual(365);
  });

  it('emits one event with the job and the number of users', async () => {
    const own = await aPreparedTenant(installation.api);
    const { userId } = await aPerson(own);
    const jobId = await deleteData(own, { userIds: [userId] });
    const { counts } = await endedDeletion(own, jobId);
    const found = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
    expect(await eventsOf(own, 'user.data_deleted')).toEqual([
      { payload: { jobId, userCount: 1, counts: expect.objectContaining(found) } },
    ]);
  });

  it('in one organization keeps the user and all data elsewhere', async () => {
    const here = await aPerson(tenant);
    const elsewhere = await aDocument(tenant);
    const user = { userId: here.userId, name: 'Ada Lovelace' };
    await tenant.ok('/v2/users/add', { organizationId: elsewhere.organizationId, users: [user] });
    await addActivityLogs(tenant, elsewhere, activities(2, { actionUser: user }));
    const jobId = await deleteData(tenant, {
      userIds: [here.userId],
      organizationIds: [here.location.organizationId],
    });
    expect(await endedDeletion(tenant, jobId)).toMatchObject({
      status: 'completed',
      counts: { activities: 3, user: 0 },
      receipt: { organizationIds: [here.location.organizationId] },
    });
    const activityLogsOf = async (location: object) =>
      JSON.stringify((await tenant.ok('/v2/activities/get', location)).data);
    expect(await activityLogsOf({ organizationId: here.location.organizationId })).not.toContain(here.userId);
    expect(await activityLogsOf({ organizationId: elsewhere.organizationId })).toContain(here.userId);
    const users = await tenant.ok<unknown[]>('/v2/users/get', {
      organizationId: elsewhere.organizationId,
    });
    expect(users.data).toHaveLength(1);
  });

  it('in an unknown organization deletes nothing', async () => {
    const { userId, location } = await aPerson(tenant);
    const { organizationId } = location;
    const jobId = await deleteData(tenant, { userIds: [userId], organizationIds: ['unknown'] });
    const { counts, status } = await endedDeletion(tenant, jobId);
    expect([status, new Set(Object.values(counts))]).toEqual(['completed', new Set([0])]);
    expect((await tenant.ok<unknown[]>('/v2/users/get', { organizationId })).data).toHaveLength(2);
  });

  it('without data finds no record and leaves no row', async () => {
    const userId = freshId('nobody');
    const { counts, status } = await endedDeletion(tenant, await deleteData(tenant, { userIds: [userId] }));
    expect([status, new Set(Object.values(counts))]).toEqual(['completed', new Set([0])]);
    expect(await rowsWith(installation.api, tenant, userId)).toEqual([]);
  });

  it('does not affect a user with the same id under another key', async () => {
    const { userId } = await aPerson(tenant);
    const other = await aPreparedTenant(installation.api);
    const location = await aDocument(other);
    const user = { userId, name: 'Another' };
    await other.ok('/v2/users/add', { organizationId: location.organizationId, users: [user] });
    await addActivityLogs(other, location, activities(2, { actionUser: user }));
    const before = await rowsWith(installation.api, other, userId);
    expect(before.length).toBeGreaterThan(2);
    await endedDeletion(tenant, await deleteData(tenant, { userIds: [userId] }));
    expect(await rowsWith(installation.api, other, userId)).toEqual(before);
  });

  it('in two jobs completes both and counts each record once', async () => {
    const { userId } = await aPerson(tenant);
    const jobs = await Promise.all([1, 2].map(async () => deleteData(tenant, { userIds: [userId] })));
    const ended = await Promise.all(jobs.map(async (jobId) => endedDeletion(tenant, jobId)));
    expect(ended.map(({ status }) => status)).toEqual(['completed', 'completed']);
    const sum = (kind: 'activities' | 'user') => ended.reduce((total, { counts }) => total + counts[kind], 0);
    expect([sum('activities'), sum('user')]).toEqual([3, 1]);
    expect(await rowsWith(installation.api, tenant, userId)).toEqual([]);
  });

  it('frees the id for a new user afterwards', async () => {
    const { userId, location } = await aPerson(tenant);
    const { organizationId } = location;
    await endedDeletion(tenant, await deleteData(tenant, { userIds: [userId] }));
    await tenant.ok('/v2/users/add', { organizationId, users: [{ userId }] });
    const { data } = await tenant.ok<{ userId: string }[]>('/v2/users/get', { organizationId });
    expect(data.find((user) => user.userId === userId)).toMatchObject({ userId, name: '', email: '' });
  });
});

describe('a dry run', () => {
  it('counts the records that a deletion then removes, and changes nothing', async () => {
    const { userId } = await aPerson(tenant);
    const before = await rowsWith(installation.api, tenant, userId);
    const dry = await endedDeletion(tenant, await deleteData(tenant, { userIds: [userId], dryRun: true }));
    expect(dry).toMatchObject({
      status: 'completed',
      dryRun: true,
      isDeleteCompleted: false,
      tasksLeft: 0,
      verified: false,
      receipt: null,
      counts: { memberships: 2, activities: 3, user: 1 },
    });
    expect(await rowsWith(installation.api, tenant, userId)).toEqual(before);
    const real = await endedDeletion(tenant, await deleteData(tenant, { userIds: [userId] }));
    expect(real.counts).toEqual(dry.counts);
  });
});

describe('a running deletion', () => {
  /** A deletion that waits for a writer that locks the user. */
  const waitingFor = async (userId: string, data: object = {}) => {
    const writer = await installation.api.database.connect();
    await writer.query('begin');
    await writer.query('select 1 from app_user where api_key_id = $1 and ext_id = $2 for key share', [
      tenant.id,
      userId,
    ]);
    const jobId = await deleteData(tenant, { userIds: [userId], ...data });
    await eventually(async () => (await deletionOf(tenant, jobId)).phase === 'fencing');
    return { jobId, letGo: async () => writer.query('commit') };
  };

  it('rejects every write that names the user, with the job id, and no other write', async () => {
    const { userId, colleague, location } = await aPerson(tenant);
    const { jobId, letGo } = await waitingFor(userId);
    const { organizationId } = location;
    const user = { userId };
    const resources = [{ type: 'organization', id: organizationId }];
    const writes: [string, object][] = [
      ['/v2/users/add', { organizationId, users: [user] }],
      ['/v2/users/update', { organizationId, users: [user] }],
      ['/v2/users/delete', { organizationId, userIds: [userId] }],
      ['/v2/auth/permissions/add', { user, permissions: { resources } }],
      ['/v2/auth/permissions/remove', { userId, permissions: { resources } }],
      ['/v2/activities/add', { ...location, activities: activities(1, { actionUser: user }) }],
      [
        '/v2/activities/add',
        { ...location, activities: activities(1, { entityData: { mentions: { [userId]: 1 } } }) },
      ],
      ['/v2/agents/execution/add', { agentId: 'agent', ...location, ranBy: user }],
      [
        '/v2/crdt/update',
        { ...location, editorId: 'editor', type: 'text', data: 'y', lastUpdatedBy: userId },
      ],
      ['/v2/notifications/config/set', { organizationId, userIds: [userId], config: { inbox: 'ALL' } }],
      [
        '/v2/notifications/add',
        {
          ...location,
          actionUser: { userId: colleague },
          displayHeadlineMessageTemplate: 'x',
          displayBodyMessage: 'y',
          notifyUsers: [user],
        },
      ],
    ];
    for (const [path, data] of writes) {
      const { status, message, details } = await tenant.refused(path, data);
      expect([path, status, message, details['userIds'], details['jobId']]).toEqual([
        path,
        'FAILED_PRECONDITION',
        'User data deletion is in progress.',
        [userId],
        jobId,
      ]);
    }
    await addActivityLogs(tenant, location, activities(1, { actionUser: { userId: colleague } }));
    await letGo();
    expect(await endedDeletion(tenant, jobId)).toMatchObject({ status: 'completed' });
    await addActivityLogs(tenant, location, activities(1, { actionUser: { userId } }));
  });

  it('in one organization allows writes that name the user elsewhere', async () => {
    const here = await aPerson(tenant);
    const elsewhere = await aDocument(tenant);
    const organizationIds = [here.location.organizationId];
    const { jobId, letGo } = await waitingFor(here.userId, { organizationIds });
    await addActivityLogs(tenant, elsewhere, activities(1, { actionUser: { userId: here.userId } }));
    expect(
      await tenant.refused('/v2/activities/add', {
        ...here.location,
        activities: activities(1, { actionUser: { userId: here.userId } }),
      }),
    ).toMatchObject({ status: 'FAILED_PRECONDITION' });
    await letGo();
    await endedDeletion(tenant, jobId);
  });

  it('keeps its fence until it has ended, also when a concurrent deletion removes its users', async () => {
    const { userId, location } = await aPerson(tenant);
    const { jobId: first, letGo } = await waitingFor(userId);
    const second = await deleteData(tenant, { userIds: [userId] });
    // The second deletion waits after fencing while the first one ends.
    const holder = await installation.api.database.connect();
    await eventually(async () => (await deletionOf(tenant, second)).phase === 'fencing');
    await holder.query('begin');
    await holder.query('select 1 from user_data_deletion where public_id = $1 for update', [second]);
    await letGo();
    expect(await endedDeletion(tenant, first)).toMatchObject({ status: 'completed' });
    expect(
      await tenant.refused('/v2/activities/add', {
        ...location,
        activities: activities(1, { actionUser: { userId } }),
      }),
    ).toMatchObject({ status: 'FAILED_PRECONDITION', details: { jobId: second } });
    await holder.query('commit');
    expect(await endedDeletion(tenant, second)).toMatchObject({ status: 'completed' });
    expect(await rowsWith(installation.api, tenant, userId)).toEqual([]);
  });

  it('shows its progress by the query and as the memo', async () => {
    const { userId } = await aPerson(tenant);
    const { jobId, letGo } = await waitingFor(userId);
    const workflow = client.workflow.getHandle(`user-data-deletion/${jobId}`);
    expect(await workflow.query('progress')).toEqual({ phase: 'fencing', counts: {} });
    await letGo();
    const { counts } = await endedDeletion(tenant, jobId);
    await workflow.result();
    expect(counts.user).toBe(1);
    const expected = {
      phase: 'completed',
      counts: Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
    };
    expect(await workflow.query('progress')).toMatchObject(expected);
    expect((await workflow.describe()).memo).toMatchObject({ progress: expected });
  });

  it('leaves no user id in its history', async () => {
    const { userId } = await aPerson(tenant);
    const jobId = await deleteData(tenant, { userIds: [userId] });
    await endedDeletion(tenant, jobId);
    const workflow = client.workflow.getHandle(`user-data-deletion/${jobId}`);
    await workflow.result();
    const history = await workflow.fetchHistory();
    expect(Buffer.from(JSON.stringify(history)).includes(userId)).toBe(false);
    const payloads = (history.events ?? []).flatMap((event) =>
      JSON.stringify(event, (_, value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString() : value,
      ),
    );
    expect(payloads.join('')).toContain(jobId);
    expect(payloads.join('')).not.toContain(userId);
  });

  it('is canceled after its current step, with a receipt that lists deleted records and unfinished stores', async () => {
    const { userId, location } = await aPerson(tenant);
    const holder = await installation.api.database.connect();
    await holder.query('begin');
    await holder.query(
      'select 1 from activity a join app_user u on u.id = a.actor_id where u.ext_id = $1 for update of a',
      [userId],
    );
    const jobId = await deleteData(tenant, { userIds: [userId] });
    /** Whether a statement that names the table waits for a lock. */
    const waiting = async (table: string) => {
      const found = await sql(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
           and query ~ ('\\m' || $1 || '\\M')`,
        [table],
      );
      return found.length > 0;
    };
    await eventually(async () => waiting('activity'));
    const cancelling = tenant.ok('/v2/jobs/cancel', { jobId });
    await eventually(async () => waiting('user_data_deletion'));
    await holder.query('commit');
    await cancelling;
    const { receipt } = await deletionOf(tenant, jobId);
    expect(receipt).toMatchObject({
      counts: { memberships: 2, activities: 3, crdtRecords: 0, user: 0 },
      unfinished: expect.arrayContaining(['mentions', 'crdtRecords', 'user']),
    });
    expect(receipt?.unfinished).not.toContain('memberships');
    await client.workflow.getHandle(`user-data-deletion/${jobId}`).result();
    expect((await deletionOf(tenant, jobId)).receipt).toEqual(receipt);
    await addActivityLogs(tenant, location, activities(1, { actionUser: { userId } }));
  });

  it('deletes nothing and reports this when it is canceled before it begins', async () => {
    const { userId, location } = await aPerson(tenant);
    const { jobId, letGo } = await waitingFor(userId);
    await tenant.ok('/v2/jobs/cancel', { jobId });
    await letGo();
    const { receipt, ...status } = await deletionOf(tenant, jobId);
    expect(status).toMatchObject({ status: 'failed', isDeleteCompleted: false, verified: false });
    if (receipt === null) throw new Error('There is no receipt.');
    expect(receipt).toMatchObject({ unfinished: personalDataKinds, verifiedAt: null });
    expect((await checked(receipt))?.payload).toMatchObject({ jobId, unfinished: personalDataKinds });
    await client.workflow.getHandle(`user-data-deletion/${jobId}`).result();
    await addActivityLogs(tenant, location, activities(1, { actionUser: { userId } }));
    const { data } = await tenant.ok<unknown[]>('/v2/activities/get', { ...location, userId });
    expect(data).toHaveLength(4);
    expect(await eventsOf(tenant, 'user.data_deleted')).not.toContainEqual({
      payload: expect.objectContaining({ jobId }),
    });
  });
});
