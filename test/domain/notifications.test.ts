import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  containerPreferences,
  notificationRecords,
  preferenceRecords,
} from '../../domain/notifications/notification-records.ts';
import { choose, type Candidate } from '../../domain/notifications/choose-recipients.ts';
import { notifyMembers } from '../../domain/notifications/notify-members.ts';
import { levels } from '../../domain/notifications/preferences.ts';
import {
  removeRemainingNotifications,
  type RemainingNotifications,
} from '../../domain/notifications/remove-remaining-notifications.ts';
import type { PreferenceLevel } from '../../domain/notifications/notification-preference.entity.ts';
import type { RecordKind, RecordBatch, RecordRange } from '../../domain/documents/record-kind.ts';
import { removeDescendants } from '../../domain/cascade/remove-descendants.ts';
import { findJob } from '../../domain/jobs/find-job.ts';
import { beginJob } from '../../domain/jobs/job-steps.ts';
import { inTransaction, type EntityManager } from '../../platform/database/orm.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { runCascade } from '../support/run-cascade.ts';
import { aTenant, freshId, type TestTenant } from '../support/factories.ts';
import {
  inADocument,
  members,
  texts,
  users,
  type Choice,
  type NotificationCalls,
} from '../api/notification-calls.ts';

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aTenant(api);
  await tenant.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
});
afterAll(async () => api.close());

const transaction = async <Result>(act: (em: EntityManager) => Promise<Result>) =>
  inTransaction(api.orm, act);

describe('the recipients of a notification', () => {
  it('follow from access, the inbox setting and whether the user was named, in every combination', () => {
    const outcomes: Record<string, boolean> = {};
    for (const inbox of levels) {
      for (const named of [true, false]) {
        for (const hasAccess of [true, false]) {
          const candidate: Candidate = { userId: 'u', user: '1', email: null, named, hasAccess };
          const preference = { inbox, email: 'ALL' as PreferenceLevel, slack: 'MINE' as PreferenceLevel };
          const { notified, channels } = choose(candidate, { preference, source: 'default' });
          outcomes[[inbox, named ? 'named' : 'member', hasAccess ? 'access' : 'none'].join()] = notified;
          expect(channels).toEqual({ inbox: notified, email: hasAccess, slack: hasAccess && named });
        }
      }
    }
    expect(Object.keys(outcomes).filter((mixture) => outcomes[mixture] === true)).toEqual([
      'ALL,named,access',
      'ALL,member,access',
      'MINE,named,access',
    ]);
  });
});

const crowd = (count: number) => Array.from({ length: count }, (_, n) => `m${String(n).padStart(5, '0')}`);

async function taken(jobId = ''): Promise<string> {
  if ((await beginJob(api.orm, jobId)) !== true) throw new Error('There is nothing to do.');
  return jobId;
}

async function recipients({ documentId }: NotificationCalls): Promise<string[]> {
  const found = await api.database.sql<{ ext_id: string }>(
    `select u.ext_id from notification n join document d on d.id = n.document_id
       join notification_recipient r on r.audience_id = n.audience join app_user u on u.id = r.user_id
     where d.ext_id = $1 order by 1`,
    [documentId],
  );
  return found.map(({ ext_id }) => ext_id);
}

const statusOf = async (jobId: string | undefined) =>
  (await tenant.ok<{ status: string }>('/v2/jobs/get', { jobId })).data.status;

describe('members beyond the first 1,000', () => {
  it('are each notified once by a job, even when it is stopped after every step and restarted', async () => {
    const calls = await inADocument(tenant);
    const everyone = crowd(3_300);
    await members(tenant, calls, everyone);
    const [quiet, mine, ...others] = everyone.slice(-3);
    await calls.ok('config/set', { userIds: [quiet], config: { inbox: 'NONE' } });
    await calls.ok('config/set', { userIds: [mine], config: { inbox: 'MINE' } });
    const { jobId } = await calls.add({ actionUser: { userId: others[0] } });
    const job = await taken(jobId);
    let starts = 0;
    for (; (await statusOf(jobId)) === 'in_progress'; starts += 1) {
      await notifyMembers(api.orm, job).next();
      if (starts > 10) throw new Error('It does not end.');
    }
    expect(starts).toBe(3);
    expect(await recipients(calls)).toEqual(everyone.slice(0, -3));
    expect(await calls.get()).toMatchObject([{ notifyUsersCount: 3_297 }]);
    const ended = await tenant.ok('/v2/jobs/get', { jobId });
    expect(ended.data).toMatchObject({ status: 'completed', progress: { done: 2_300, total: 2_300 } });
    await notifyMembers(api.orm, job).next();
    expect(await calls.get()).toMatchObject([{ notifyUsersCount: 3_297 }]);
  });

  it.each([
    [
      'deleted',
      async (calls: NotificationCalls, id: string) => calls.ok('delete', { notificationIds: [id] }),
      [],
    ],
    [
      'overwritten',
      async (calls: NotificationCalls, notificationId: string) =>
        calls.add({ notificationId, notifyUsers: users('ann') }),
      ['ann'],
    ],
    [
      'given other recipients',
      async (calls: NotificationCalls, id: string) =>
        calls.ok('update', { notifications: [{ id, notifyUsers: users('ann') }] }),
      ['ann'],
    ],
  ] as const)('are not notified once it was %s', async (_title, act, left) => {
    const calls = await inADocument(tenant);
    await members(tenant, calls, crowd(1_100));
    const { jobId, notificationId } = await calls.add();
    const job = await taken(jobId);
    await act(calls, notificationId);
    await notifyMembers(api.orm, job).next();
    expect(await statusOf(jobId)).toBe('completed');
    expect(await recipients(calls)).toEqual(left);
  });

  it('are verified like the first ones', async () => {
    const calls = await inADocument(tenant);
    const { organizationId } = calls;
    await members(tenant, calls, crowd(1_100));
    const { jobId, explain } = await calls.add({ verifyUserPermissions: true, explain: true });
    expect(explain?.every((choice: Choice) => choice.notified)).toBe(true);
    await tenant.ok('/v1/organizations/access/disablestate/update', {
      organizationIds: [organizationId],
      disabled: true,
    });
    await notifyMembers(api.orm, await taken(jobId)).next();
    expect(await statusOf(jobId)).toBe('completed');
    expect(await recipients(calls)).toEqual(crowd(1_000));
  });
});

async function surrogate(documentId: string): Promise<{ id: string; org_id: string }> {
  const [found] = await api.database.sql<{ id: string; org_id: string }>(
    'select id, org_id from document where ext_id = $1',
    [documentId],
  );
  if (found === undefined) throw new Error('There is no such document.');
  return found;
}

/** Reads like the cascade and the count of a migration. Returns the numbers of records and of steps. */
async function inSteps(
  documentId: string,
  take: (em: EntityManager, range: RecordRange) => Promise<RecordBatch>,
) {
  const { id } = await surrogate(documentId);
  let after: RecordBatch['last'] = null;
  let [records, steps] = [0, 0];
  do {
    const step: RecordBatch = await transaction(async (em) =>
      take(em, { tenantId: tenant.id, documents: [id], after }),
    );
    records += step.records;
    steps += 1;
    after = step.last;
    if (steps > 50) throw new Error('It does not end.');
  } while (after !== null);
  return { records, steps };
}

const removing = (kind: RecordKind) => async (em: EntityManager, range: RecordRange) =>
  kind.remove(em, range);
const counting = (kind: RecordKind) => async (em: EntityManager, range: RecordRange) => kind.count(em, range);

/** Writes more recipients of one notification than a call may. */
async function withCrowd(notificationId: string, count: number): Promise<void> {
  await api.database.sql(
    `insert into notification_recipient (user_id, audience_id, api_key_id, org_id, document_id, ts)
     select -i, n.audience, $1, n.org_id, n.document_id, n.ts from notification n, generate_series(1, $3::int) i where n.ext_id = $2`,
    [tenant.id, notificationId, count],
  );
  await api.database.sql('update notification set recipient_count = recipient_count + $2 where ext_id = $1', [
    notificationId,
    count,
  ]);
}

const leftOf = async (id: string) =>
  api.database.sql(
    `select id from notification where document_id = $1 union all select user_id from notification_recipient where document_id = $1`,
    [id],
  );

describe('the records of a document', () => {
  it('are counted, and removed chunk by chunk with all dependent rows', async () => {
    const calls = await inADocument(tenant);
    const beside = await inADocument(tenant);
    await beside.add({ notifyUsers: users('ann') });
    for (let n = 0; n < 3; n += 1) await calls.add({ notifyUsers: users('ann', 'ben') });
    const { notificationId } = await calls.add({
      notifyUsers: users('ann'),
      context: { who: { userId: 'named-here' } },
    });
    await withCrowd(notificationId, 12_000);
    expect(await inSteps(calls.documentId, counting(notificationRecords))).toEqual({ records: 4, steps: 1 });
    const { steps } = await inSteps(calls.documentId, removing(notificationRecords));
    expect(steps).toBeGreaterThan(3);
    const { id } = await surrogate(calls.documentId);
    expect(await leftOf(id)).toEqual([]);
    const named = await api.database.sql(
      `select 1 from record_user r join app_user u on u.id = r.user_id where u.ext_id = 'named-here'`,
    );
    expect(named).toEqual([]);
    expect(await beside.get({ userId: 'ann' })).toHaveLength(1);
  });

  it('that a job adds concurrently are removed too', async () => {
    const calls = await inADocument(tenant);
    await members(tenant, calls, crowd(1_100));
    const { jobId } = await calls.add();
    const { id } = await surrogate(calls.documentId);
    const job = await taken(jobId);
    await Promise.all([
      inSteps(calls.documentId, removing(notificationRecords)),
      notifyMembers(api.orm, job).next(),
    ]);
    expect(await leftOf(id)).toEqual([]);
  });

  it('include preferences, which are deleted with the document, and those of the organization with it', async () => {
    const calls = await inADocument(tenant);
    const { documentId } = calls;
    const userIds = crowd(900);
    await calls.ok('config/set', { userIds, documentIds: [documentId], config: { inbox: 'NONE' } });
    await calls.ok('config/set', { userIds, config: { inbox: 'NONE' } });
    expect((await inSteps(documentId, counting(preferenceRecords))).records).toBe(900);
    expect((await inSteps(documentId, removing(preferenceRecords))).records).toBe(900);
    const { org_id: organization } = await surrogate(documentId);
    const removed = await transaction(async (em) =>
      containerPreferences.organizations?.(em, tenant.id, [organization]),
    );
    expect(removed).toBe(900);
    expect(await api.database.sql('select 1 from preference where org_id = $1', [organization])).toEqual([]);
  });
});

describe('the records that a deletion leaves to a job', () => {
  /** Runs steps until no record is left. Returns the position after each. */
  async function removeRest(selection: RemainingNotifications) {
    const positions: unknown[] = [];
    for (let next: RemainingNotifications | undefined = selection; next !== undefined;) {
      const current: RemainingNotifications = next;
      next = (await transaction(async (em) => removeRemainingNotifications(em, tenant.id, current))).left;
      if (next !== undefined) positions.push(next.rest?.after ?? null);
      if (positions.length > 50) throw new Error('It does not end.');
    }
    return positions;
  }

  const requestOf = async (jobId: string | undefined) => {
    const job = await transaction(async (em) => findJob(em, jobId ?? ''));
    if (job === null) throw new Error('There is no job.');
    const { records } = job.request as { records: { selection: RemainingNotifications } };
    return records.selection;
  };

  it('are deleted with their recipients, and records that were added later stay', async () => {
    const calls = await inADocument(tenant);
    const { notificationId } = await calls.add({ notifyUsers: users('ann') });
    await withCrowd(notificationId, 11_000);
    await plant(calls, 2_300, 'ann');
    const { jobId, deletedCount } = await calls.ok('delete', { documentId: calls.documentId });
    expect(deletedCount).toBe(1_000);
    const later = await calls.add({ notifyUsers: users('ann') });
    await removeRest(await requestOf(jobId));
    expect(await calls.ids({ userId: 'ann' })).toEqual([later.notificationId]);
    const { id } = await surrogate(calls.documentId);
    expect(await leftOf(id)).toHaveLength(2);
  });

  it('of one recipient are removed for this recipient only', async () => {
    const calls = await inADocument(tenant);
    await calls.add({ notifyUsers: users('ann', 'ben') });
    await plant(calls, 1_200, 'ann');
    const shared = await calls.add({ notifyUsers: users('ann', 'ben') });
    const { jobId } = await calls.ok('delete', { userId: 'ann' });
    await removeRest(await requestOf(jobId));
    expect(await calls.get({ userId: 'ann' })).toEqual([]);
    const left = await calls.get({ documentId: calls.documentId }, { version: 1 });
    expect(left).toHaveLength(2);
    expect(left[0]).toMatchObject({
      id: shared.notificationId,
      notifyUsersByUserId: { ben: true },
      notifyUsersCount: 1,
    });
  });

  it.each(['document', 'user'] as const)(
    'continue where the last step has deleted a batch, by %s',
    async (by) => {
      const calls = await inADocument(tenant);
      await plant(calls, 2_200, 'ann');
      const planted = await api.database.sql<{ ext_id: string; key: string }>(
        `select ext_id, (case when $2 then n.id else n.audience end)::text as key from notification n
         where document_id = $1 order by ts`,
        [(await surrogate(calls.documentId)).id, by === 'document'],
      );
      await withCrowd(planted[1_100]?.ext_id ?? '', by === 'document' ? 6_000 : 0);
      const selection = by === 'document' ? { documentId: calls.documentId } : { userId: 'ann' };
      const { jobId } = await calls.ok('delete', selection);
      const steps = await removeRest(await requestOf(jobId));
      const positions = [1_500, 2_000, 2_200].map((ts) => JSON.stringify([String(ts), planted[ts - 1]?.key]));
      const reached = steps.filter((step) => step !== null).map((step) => JSON.stringify(step));
      expect([...new Set(reached)]).toEqual(positions);
      // Recipients are deleted first, and their notifications with the last of them.
      expect(reached.length > positions.length).toBe(by === 'document');
      expect(steps.includes(null)).toBe(by === 'document');
    },
  );

  it('are deleted from the stored position on in a later turn', async () => {
    const calls = await inADocument(tenant);
    await plant(calls, 2_200, 'ann');
    const { jobId } = await calls.ok('delete', { userId: 'ann' });
    const job = await transaction(async (em) => findJob(em, await taken(jobId)));
    if (job === null) throw new Error('There is no job.');
    await removeDescendants(api.orm, job).next();
    expect((await requestOf(jobId)).rest?.after?.[0]).toBe('1500');
    await runCascade(api, jobId);
    expect(await calls.ids({ userId: 'ann' })).toEqual([]);
  });

  /** Writes notifications of one recipient each by SQL. */
  async function plant({ documentId }: NotificationCalls, count: number, userId: string): Promise<void> {
    await api.database.sql(
      `with n as (
         insert into notification (api_key_id, org_id, document_id, ext_id, source, actor_id, ts, recipient_count, body)
         select $1, d.org_id, d.id, $5 || i, 5, i, i, 1, $6::json from document d, generate_series(1, $3::int) i
         where d.ext_id = $2 returning audience, org_id, document_id, ts)
       insert into notification_recipient (user_id, audience_id, api_key_id, org_id, document_id, ts)
       select u.id, n.audience, $1, n.org_id, n.document_id, n.ts from n join app_user u on u.api_key_id = $1 and u.ext_id = $4`,
      [
        tenant.id,
        documentId,
        count,
        userId,
        freshId('planted'),
        JSON.stringify({ ...texts, notificationSource: 'custom' }),
      ],
    );
  }
});
