import { afterAll, describe, expect, it } from '@jest/globals';
import { beginJob } from '../../domain/jobs/find-job.ts';
import { notifyMembers } from '../../domain/notifications/notify-members.ts';
import { inADocument, members } from '../api/notification-calls.ts';
import { startTestApi } from '../support/api.ts';
import { aMailingTenant } from '../support/senders.ts';

const api = await startTestApi();
afterAll(() => api.close());

const crowd = (count: number) => Array.from({ length: count }, (_, n) => `m${String(n).padStart(5, '0')}`);

/**
 * A notification whose first 1,000 of 1,200 members are notified, with an e-mail to two of them that has left. The user at
 * the job's place is deleted.
 */
async function aLostPlace() {
  const tenant = await aMailingTenant(api);
  const calls = await inADocument(tenant);
  await members(tenant, calls, crowd(1_200));
  await calls.ok('config/set', { userIds: ['m00001', 'm01100'], config: { email: 'ALL' } });
  await calls.ok('config/set', { userIds: ['m00002'], config: { inbox: 'NONE', email: 'ALL' } });
  const { jobId = '' } = await calls.add();
  await api.database.sql('delete from notice where api_key_id = $1', [tenant.id]);
  await api.database.sql(
    `with u as (select id from app_user where api_key_id = $1 and ext_id = 'm00999'),
       a as (delete from access where user_id in (select id from u))
     delete from app_user where id in (select id from u)`,
    [tenant.id],
  );
  const planned = async () => {
    await beginJob(api.orm, jobId);
    for await (const _ of notifyMembers(api.orm, jobId));
    const found = await api.database.sql<{ ext_id: string }>(
      'select u.ext_id from notice n join app_user u on u.id = n.user_id where n.api_key_id = $1 order by 1',
      [tenant.id],
    );
    return found.map(({ ext_id }) => ext_id);
  };
  return { tenant, calls, jobId, planned };
}

describe('a job that notifies members, whose last examined user is deleted', () => {
  it('goes on after the user before, and mails no member twice', async () => {
    const { tenant, jobId, calls, planned } = await aLostPlace();
    expect(await planned()).toEqual(['m01100']);
    const { data } = await tenant.ok('/v2/jobs/get', { jobId });
    expect(data).toMatchObject({ status: 'completed', progress: { done: 200 } });
    expect(await calls.get()).toMatchObject([{ notifyUsersCount: 1_199 }]);
  });

  it('mails no member of the inbox twice even when it must begin again', async () => {
    const { jobId, planned } = await aLostPlace();
    await api.database.sql(`update job set request = (request::jsonb - 'trail')::json where public_id = $1`, [
      jobId,
    ]);
    const found = await planned();
    expect(found).toContain('m01100');
    expect(found).not.toContain('m00001');
  });
});
