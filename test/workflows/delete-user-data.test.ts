import { describe, expect, it } from '@jest/globals';
import { activities, addActivityLogs, aDocument, freshId } from '../support/factories.ts';
import { aPerson, aPreparedTenant, deleteData, endedDeletion, rowsWith } from './deletions.ts';
import { deletionScene } from './deletion-scene.ts';

const { installation, tenant, sql, eventsOf, checked } = await deletionScene();

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

  it('rejects no concurrent write', async () => {
    const { userId, location } = await aPerson(tenant);
    await deleteData(tenant, { userIds: [userId], dryRun: true });
    await addActivityLogs(tenant, location, activities(1, { actionUser: { userId } }));
  });
});
