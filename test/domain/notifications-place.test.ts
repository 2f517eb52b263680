import { afterAll, describe, expect, it } from '@jest/globals';
import { beginJob } from '../../domain/jobs/job-steps.ts';
import { notifyMembers } from '../../domain/notifications/notify-members.ts';
import { inADocument, members } from '../api/notification-calls.ts';
import { startTestApi } from '../support/api.ts';
import { anEndedDelivery } from '../support/deliveries.ts';
import type { TestTenant } from '../support/factories.ts';
import { aMailingTenant } from '../support/senders.ts';

const api = await startTestApi();
afterAll(() => api.close());

const crowd = (count: number) => Array.from({ length: count }, (_, n) => `m${String(n).padStart(5, '0')}`);

/** Returns the users with an unsent message. */
async function planned(tenant: TestTenant): Promise<string[]> {
  const found = await api.database.sql<{ ext_id: string }>(
    'select u.ext_id from notice n join app_user u on u.id = n.user_id where n.api_key_id = $1 order by 1',
    [tenant.id],
  );
  return found.map(({ ext_id }) => ext_id);
}

/** Ends a delivery of each message that no delivery has claimed. */
async function deliver(tenant: TestTenant, notificationId: string): Promise<void> {
  const sent = await api.database.sql<{ ext_id: string }>(
    `delete from notice n using app_user u
     where u.id = n.user_id and n.api_key_id = $1 and n.delivery_id is null returning u.ext_id`,
    [tenant.id],
  );
  for (const { ext_id: userId } of sent)
    await anEndedDelivery(api, { tenantId: tenant.id, notificationId, userId });
}

async function run(jobId: string): Promise<void> {
  await beginJob(api.orm, jobId);
  for await (const _ of notifyMembers(api.orm, jobId));
}

/** A notification of 2,200 members, of whom six accept e-mail. Those in `quiet` have no inbox entry. */
async function aCrowd() {
  const tenant = await aMailingTenant(api);
  const calls = await inADocument(tenant);
  await members(tenant, calls, crowd(2_200));
  await calls.ok('config/set', { userIds: ['m00001', 'm02100'], config: { email: 'ALL' } });
  const quiet = ['m00002', 'm00003', 'm01500', 'm02101'];
  await calls.ok('config/set', { userIds: quiet, config: { inbox: 'NONE', email: 'ALL' } });
  const { notificationId, jobId = '' } = await calls.add();
  return { tenant, calls, notificationId, jobId };
}

/**
 * The call and one step of the job have notified the first 2,000 members. Their e-mails have left, except one that a
 * delivery has claimed. The user at the job's position is deleted.
 */
async function aDeletedPosition() {
  const crowded = await aCrowd();
  const { tenant, notificationId, jobId } = crowded;
  await beginJob(api.orm, jobId);
  await notifyMembers(api.orm, jobId).next();
  expect(await planned(tenant)).toEqual(['m00001', 'm00002', 'm00003', 'm01500']);
  await api.database.sql(
    `update notice n set delivery_id = 1, state = 2 from app_user u
     where u.id = n.user_id and u.ext_id = 'm00003' and n.api_key_id = $1`,
    [tenant.id],
  );
  await deliver(tenant, notificationId);
  await api.database.sql(
    `with u as (select id from app_user where api_key_id = $1 and ext_id = 'm01999'),
       a as (delete from access where user_id in (select id from u))
     delete from app_user where id in (select id from u)`,
    [tenant.id],
  );
  return crowded;
}

describe('a job that notifies members', () => {
  it('goes on after the user before when its last examined user is deleted', async () => {
    const { tenant, jobId, calls } = await aDeletedPosition();
    await run(jobId);
    expect(await planned(tenant)).toEqual(['m00003', 'm02100', 'm02101']);
    const { data } = await tenant.ok('/v2/jobs/get', { jobId });
    expect(data).toMatchObject({ status: 'completed', progress: { done: 1_200 } });
    expect(await calls.get()).toMatchObject([{ notifyUsersCount: 2_196 }]);
  });

  it('notifies and mails no member twice when all users at its position are deleted and it starts over', async () => {
    const { tenant, jobId, calls } = await aDeletedPosition();
    await api.database.sql(`update job set request = (request::jsonb - 'trail')::json where public_id = $1`, [
      jobId,
    ]);
    await run(jobId);
    expect(await planned(tenant)).toEqual(['m00003', 'm02100', 'm02101']);
    expect(await calls.get()).toMatchObject([{ notifyUsersCount: 2_196 }]);
  });

  it('mails members again when the notification is overwritten', async () => {
    const { tenant, jobId, calls, notificationId } = await aCrowd();
    await run(jobId);
    await deliver(tenant, notificationId);
    const again = await calls.add({ notificationId, displayBodyMessage: 'Next.' });
    await run(again.jobId ?? '');
    expect(await planned(tenant)).toEqual(['m00001', 'm00002', 'm00003', 'm01500', 'm02100', 'm02101']);
  });
});
