import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { personalDataKinds } from '../../domain/deletion/stores/personal-data-store.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { issuesOf, type Response } from '../support/client.ts';
import { anOrganization, aTenant, freshId, type TestTenant } from '../support/factories.ts';
import { rowsOf } from '../support/rows.ts';
import { statementsOf } from '../support/statements.ts';

const path = '/v2/users/data/delete';
const statusPath = '/v2/users/data/delete/status';
const kinds = personalDataKinds.length;

let api: TestApi;
let tenant: TestTenant;

// Temporal is not available, so jobs stay pending.
beforeAll(async () => {
  api = await startTestApi();
});
beforeEach(async () => {
  tenant = await aTenant(api);
});
afterAll(() => api.close());

interface Accepted {
  readonly jobId: string;
  readonly tasksCount: number;
}
const accepted = async (data: object, of = tenant): Promise<Accepted> =>
  (await of.ok<Accepted>(path, data)).data;

const ids = (count: number): string[] =>
  Array.from({ length: count }, (_, number) => `user-${String(number)}`);

const fenceRows = async (jobId: string) =>
  api.database.sql<{ user_ext_id: string; known: boolean; organizations: string | null }>(
    `select d.user_ext_id, d.known,
       (select string_agg(o.org_id::text, ',' order by o.org_id) from user_deletion_organization o where o.job_id = d.job_id) as organizations
     from user_deletion d join job j on j.id = d.job_id where j.public_id = $1 order by d.user_ext_id`,
    [jobId],
  );

describe('users/data/delete', () => {
  it.each([path, '/v1/users/data/delete'])(
    'returns 202 without an envelope, byte for byte: %s',
    async (either) => {
      const { status, text, headers } = await tenant.call(either, { userIds: ['ada', 'grace'] });
      const jobId = /"jobId":"(job_[\w-]{32})"/.exec(text)?.[1] ?? '';
      expect([status, headers['content-type'], text]).toEqual([
        202,
        'application/json; charset=utf-8',
        `{"status":"success","message":"Data deletion process has been initiated.","data":{"jobId":"${jobId}","tasksCount":${String(2 * kinds)}},"statusCode":202}`,
      ]);
    },
  );

  it('returns errors in the standard envelope', async () => {
    const refusal = await tenant.refused(path, { userIds: [], organizationIds: [], dryRun: 'yes', wrong: 1 });
    expect([refusal.http, refusal.status]).toEqual([400, 'INVALID_ARGUMENT']);
    expect(issuesOf(refusal)).toEqual({
      'data.userIds': 'userIds must hold 1 to 1000 items, not 0.',
      'data.organizationIds': 'organizationIds must hold 1 to 1000 items, not 0.',
      'data.dryRun': 'dryRun must be a boolean.',
      'data.wrong': 'Unknown member: wrong.',
    });
    const missing = await tenant.refused(path, {});
    expect(missing.message).toBe('userIds is required.');
  });

  it('accepts 1 and 1,000 users and rejects 1,001', async () => {
    expect((await accepted({ userIds: ids(1) })).tasksCount).toBe(kinds);
    expect((await accepted({ userIds: ids(1_000) })).tasksCount).toBe(1_000 * kinds);
    const refusal = await tenant.refused(path, { userIds: ids(1_001) });
    expect(refusal.message).toBe('userIds must hold 1 to 1000 items, not 1001.');
  });

  it('counts a repeated userId once', async () => {
    const { jobId, tasksCount } = await accepted({ userIds: ['ada', 'ada', 'grace', 'ada'] });
    expect(tasksCount).toBe(2 * kinds);
    expect((await fenceRows(jobId)).map(({ user_ext_id }) => user_ext_id)).toEqual(['ada', 'grace']);
  });

  it('accepts userIds that are names of Object.prototype members', async () => {
    const userIds = ['__proto__', 'constructor', 'toString'];
    const { jobId } = await accepted({ userIds });
    expect((await fenceRows(jobId)).map(({ user_ext_id }) => user_ext_id)).toEqual(userIds);
  });

  it('runs the same number of statements for 1 user and for 1,000, with any number of organizations', async () => {
    const count = async (users: number, organizations: number) => {
      const organizationIds = Array.from({ length: organizations }, () => freshId('organization'));
      const sent = await statementsOf(() =>
        tenant.call(path, { userIds: [...ids(users), 'last'], organizationIds }),
      );
      return sent.length;
    };
    const unknown = [await count(1, 1), await count(999, 1_000)];
    const known = [await count(1, 1), await count(999, 1_000)];
    // Two statements write the audit entries: one reads the key of pseudonyms, one inserts.
    expect([unknown, known]).toEqual([
      [11, 11],
      [9, 9],
    ]);
  });

  it('creates a row for an unknown user, so that it can be fenced, and marks it as unknown', async () => {
    await tenant.ok('/v2/users/add', {
      organizationId: await anOrganization(tenant),
      users: [{ userId: 'ada' }],
    });
    const { jobId } = await accepted({ userIds: ['ada', 'nobody'] });
    expect(await fenceRows(jobId)).toEqual([
      { user_ext_id: 'ada', known: true, organizations: null },
      { user_ext_id: 'nobody', known: false, organizations: null },
    ]);
  });

  it('deletes nothing when its organizations are unknown or belong to another API key', async () => {
    const other = await anOrganization(await aTenant(api));
    const { jobId } = await accepted({ userIds: ['ada'], organizationIds: ['unknown', other] });
    expect(await fenceRows(jobId)).toEqual([{ user_ext_id: 'ada', known: false, organizations: '0' }]);
  });

  it('creates no user row in a dry run', async () => {
    const { jobId, tasksCount } = await accepted({ userIds: ['nobody'], dryRun: true });
    expect(tasksCount).toBe(kinds);
    expect(await api.database.sql(`select 1 from app_user where api_key_id = $1`, [tenant.id])).toEqual([]);
    expect((await tenant.ok(statusPath, { jobId })).data).toMatchObject({ dryRun: true, status: 'pending' });
  });

  it('creates one job per Idempotency-Key and replays its response with its status', async () => {
    const call = async (): Promise<Response> =>
      tenant.call(path, { userIds: ['ada'] }, { idempotencyKey: 'k' });
    const first = await call();
    const again = await call();
    expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([
      202,
      first.text,
      'true',
    ]);
    expect((await tenant.ok<unknown[]>('/v2/jobs/list')).data).toHaveLength(1);
  });

  it('changes nothing of another API key with the same users', async () => {
    const other = await aTenant(api);
    const organizationId = await anOrganization(other);
    await other.ok('/v2/users/add', { organizationId, users: [{ userId: 'ada', name: 'Ada' }] });
    const before = await rowsOf(api.database, other.id);
    await accepted({ userIds: ['ada'], organizationIds: [organizationId] });
    expect(await rowsOf(api.database, other.id)).toEqual(before);
  });
});

describe('users/data/delete/status', () => {
  it('returns every member of a deletion that was just accepted', async () => {
    const { jobId } = await accepted({ userIds: ['ada', 'grace'] });
    const { message, data } = await tenant.ok(statusPath, { jobId });
    expect(message).toBe('User data deletion status retrieved successfully.');
    expect(data).toEqual({
      jobId,
      status: 'pending',
      phase: null,
      tasksCount: 2 * kinds,
      tasksLeft: expect.any(Number),
      isDeleteCompleted: false,
      lastTaskCompletedTime: null,
      counts: Object.fromEntries(personalDataKinds.map((kind) => [kind, 0])),
      verified: false,
      waitingFor: null,
      receipt: null,
      pseudonyms: ['ada', 'grace'].map((userId) => ({ userId, pseudonym: expect.any(String) })),
      dryRun: false,
      createdAt: expect.any(Number),
      completedAt: null,
      late: false,
      pollAfterMs: 1_000,
      notReached: expect.arrayContaining(['text inside shared CRDT content', 'backups']),
    });
  });

  it('returns NOT_FOUND for deletions of other API keys and for other jobs', async () => {
    const { jobId } = await accepted({ userIds: ['ada'] });
    const stranger = await aTenant(api);
    const organizationId = await anOrganization(tenant);
    const { jobId: cascade } = await tenant.ok('/v2/organizations/delete', {
      organizationIds: [organizationId],
    });
    for (const [who, otherJobId] of [
      [stranger, jobId],
      [tenant, 'job_unknown'],
      [tenant, cascade],
    ] as const) {
      expect(await who.refused(statusPath, { jobId: otherJobId })).toMatchObject({
        http: 404,
        status: 'NOT_FOUND',
        message: 'Job not found.',
      });
    }
  });

  it('returns the progress that jobs/get returns', async () => {
    const { jobId, tasksCount } = await accepted({ userIds: ['ada'] });
    expect((await tenant.ok('/v2/jobs/get', { jobId })).data).toMatchObject({
      kind: 'user-data-deletion',
      status: 'pending',
      progress: { done: 0, total: tasksCount },
      workflowId: `user-data-deletion/${jobId}`,
    });
  });
});

describe('canceling a pending deletion', () => {
  it('ends it with a receipt without deleted records and lifts the write fence', async () => {
    const { jobId } = await accepted({ userIds: ['ada'] });
    const { data } = await tenant.ok('/v2/jobs/cancel', { jobId });
    expect(data).toMatchObject({ status: 'failed', error: 'cancelled' });
    const status = await tenant.ok(statusPath, { jobId });
    expect(status.data).toMatchObject({
      status: 'failed',
      isDeleteCompleted: false,
      verified: false,
      completedAt: expect.any(Number),
      pollAfterMs: 0,
      receipt: {
        jobId,
        organizationIds: null,
        verifiedAt: null,
        unfinished: expect.arrayContaining(['user']),
      },
    });
    expect(await fenceRows(jobId)).toMatchObject([{ user_ext_id: null }]);
    const again = await tenant.refused('/v2/jobs/cancel', { jobId });
    expect([again.status, again.message]).toEqual(['FAILED_PRECONDITION', 'Job can no longer be cancelled.']);
  });

  it('returns no receipt for a dry run', async () => {
    const { jobId } = await accepted({ userIds: ['ada'], dryRun: true });
    await tenant.ok('/v2/jobs/cancel', { jobId });
    expect((await tenant.ok(statusPath, { jobId })).data).toMatchObject({ status: 'failed', receipt: null });
  });
});

describe('the status of an old deletion', () => {
  it('is read from its receipt after its job is deleted', async () => {
    const { jobId } = await accepted({ userIds: ['ada'] });
    await tenant.ok('/v2/jobs/cancel', { jobId });
    const before = await tenant.ok(statusPath, { jobId });
    await api.database.sql(
      'delete from user_deletion where job_id = (select id from job where public_id = $1)',
      [jobId],
    );
    await api.database.sql('delete from job where public_id = $1', [jobId]);
    expect(await tenant.ok(statusPath, { jobId })).toEqual(before);
  });
});
