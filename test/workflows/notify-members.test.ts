import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { aTenant, freshId, type TestTenant } from '../support/factories.ts';
import { inADocument, members, type NotificationCalls } from '../api/notification-calls.ts';
import { withListeners } from '../support/webhooks.ts';
import { anInstallation, ended as moved, migrate, type Installation } from './migrations.ts';

let installation: Installation;
let tenant: TestTenant;

beforeAll(async () => {
  installation = await anInstallation();
  tenant = await aTenant(installation.api);
});
afterAll(() => installation.close());

interface Job {
  readonly status: string;
  readonly error: string | null;
}

async function ended(jobId: string | undefined): Promise<Job> {
  return eventually(async () => {
    const { data } = await tenant.ok<Job>('/v2/jobs/get', { jobId });
    if (!['completed', 'failed'].includes(data.status)) throw new Error(JSON.stringify(data));
    return data;
  });
}

async function aCrowd(count: number, owner = tenant): Promise<NotificationCalls> {
  const calls = await inADocument(owner);
  await members(
    owner,
    calls,
    Array.from({ length: count }, (_, n) => `member-${String(n)}`),
  );
  return calls;
}

describe('a notification to more than 1,000 members', () => {
  it('reaches all of them when the worker starts late and is then killed', async () => {
    const calls = await aCrowd(5_500);
    const { jobId } = await calls.add();
    const worker = await installation.startWorker();
    await eventually(async () => {
      const [read] = await calls.get();
      return (read?.notifyUsersCount ?? 0) > 1_000;
    });
    await worker.kill();
    await installation.startWorker();
    expect(await ended(jobId)).toMatchObject({ status: 'completed', error: null });
    expect(await calls.get()).toMatchObject([{ notifyUsersCount: 5_500 }]);
    expect(await calls.ids({ userId: 'member-5499' })).toHaveLength(1);
  });

  it('creates a job that cannot be canceled, and no job for 1,000 members', async () => {
    const calls = await aCrowd(1_000);
    expect(await calls.add()).not.toHaveProperty('jobId');
    await members(tenant, calls, ['one-more']);
    const { jobId } = await calls.add();
    const refusal = await tenant.refused('/v2/jobs/cancel', { jobId });
    expect([refusal.status, refusal.message]).toEqual([
      'FAILED_PRECONDITION',
      'Job can no longer be cancelled.',
    ]);
    expect(await ended(jobId)).toMatchObject({ status: 'completed' });
    expect(await calls.get()).toMatchObject([{ notifyUsersCount: 1_001 }, { notifyUsersCount: 1_000 }]);
  });
});

describe('the event of a notification to more than 1,000 members', () => {
  it('counts the members whom the call has notified, and the job emits none', async () => {
    const listening = await withListeners(await aTenant(installation.api), installation.api);
    const calls = await aCrowd(1_002, listening);
    const { jobId } = await calls.add();
    await eventually(async () => {
      const { data } = await listening.ok<Job>('/v2/jobs/get', { jobId });
      if (data.status !== 'completed') throw new Error(JSON.stringify(data));
    });
    expect(await calls.get()).toMatchObject([{ notifyUsersCount: 1_002 }]);
    const counts = await installation.api.database.sql(
      `select (payload ->> 'notifyUsersCount')::int as count from event
       where api_key_id = $1 and type = 'notification.add'`,
      [listening.id],
    );
    expect(counts).toEqual([{ count: 1_000 }]);
  });
});

describe('deleting notifications', () => {
  it('continues by a job beyond 1,000, including their recipients', async () => {
    const calls = await aCrowd(1);
    await installation.api.database.sql(
      `with n as (
         insert into notification (api_key_id, org_id, document_id, ext_id, source, actor_id, ts, recipient_count, body)
         select $1, d.org_id, d.id, 'bulk-' || i, 5, i, i, 3, '{}' from document d, generate_series(1, 3000) i
         where d.ext_id = $2 returning *)
       insert into notification_recipient (user_id, audience_id, api_key_id, org_id, document_id, ts)
       select -i, n.audience, $1, n.org_id, n.document_id, n.ts from n, generate_series(1, 3) i`,
      [tenant.id, calls.documentId],
    );
    const { jobId } = await calls.ok('delete', { documentId: calls.documentId });
    expect(await ended(jobId)).toMatchObject({ status: 'completed' });
    const left = await installation.api.database.sql(
      `select 1 from notification_recipient r join document d on d.id = r.document_id where d.ext_id = $1
       union all select 1 from notification n join document d on d.id = n.document_id where d.ext_id = $1`,
      [calls.documentId],
    );
    expect(left).toEqual([]);
  });
});

describe('a migrated document', () => {
  it('keeps its notifications and the preferences of its users', async () => {
    const calls = await aCrowd(1);
    await tenant.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
    const { organizationId, documentId } = calls;
    const { notificationId } = await calls.add();
    const userIds = ['member-0'];
    await calls.ok('config/set', { userIds, documentIds: [documentId], config: { inbox: 'MINE' } });
    const newDocumentId = freshId('document');
    const document = { organizationId, documentId };
    const migration = await moved(tenant, document, await migrate(tenant, document, newDocumentId));
    expect(migration).toMatchObject({
      status: 'completed',
      verified: true,
      counts: { notifications: 1, preferences: 1 },
    });
    expect(await calls.get({ documentId: newDocumentId, userId: 'member-0' })).toMatchObject([
      { id: notificationId, metadata: { organizationId, documentId: newDocumentId } },
    ]);
    const request = { userId: 'member-0', documentIds: [newDocumentId] };
    expect((await calls.ok('config/get', request)).data).toMatchObject([{ config: { inbox: 'MINE' } }]);
    const refusal = await calls.refused('get', { documentId });
    expect([refusal.http, refusal.details['movedTo']]).toEqual([404, newDocumentId]);
  });
});
