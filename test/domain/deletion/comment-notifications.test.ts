import { describe, expect, it } from '@jest/globals';
import { countPersonalData } from '../../../domain/deletion/process-stores.ts';
import { aDocument, type TestTenant } from '../../support/factories.ts';
import { aMailingTenant, logOf, waitingOf } from '../../support/senders.ts';
import { sendingScene } from '../../support/sending-scene.ts';
import { begunDeletion, carriedOut, whole } from './carry-out.ts';
import { aPerson } from './furnish.ts';

const { api, mail, senders } = await sendingScene();

const ada = aPerson('ada');
const ben = aPerson('ben');

/** A thread of one comment by Ada. It notifies Ben, whose e-mail waits, and his reaction notifies Ada. */
async function aNotifyingComment(): Promise<TestTenant> {
  const tenant = await aMailingTenant(api, {
    delayConfig: { isEnabled: true, delaySeconds: 3_600 },
    triggers: { comment: { 'comment_annotation.add': true, 'comment.reaction_add': true } },
  });
  const location = await aDocument(tenant);
  await tenant.ok('/v2/users/add', { ...location, users: [ada, ben] });
  const comment = {
    from: ada,
    commentText: 'Look',
    taggedUserContacts: [{ userId: ben.userId, contact: ben }],
    triggerNotification: true,
  };
  const commentAnnotations = [{ annotationId: 'thread', commentData: [comment] }];
  await tenant.ok('/v2/commentannotations/add', { ...location, commentAnnotations });
  await tenant.ok('/v2/commentannotations/comments/reactions/add', {
    ...location,
    annotationId: 'thread',
    commentId: 1,
    icon: '+1',
    from: ben,
    triggerNotification: true,
  });
  return tenant;
}

const countsOf = async (jobId: string): Promise<Record<string, number>> => {
  const sent = 'select counts from user_data_deletion where job_id = $1';
  return (await api.database.sql<{ counts: Record<string, number> }>(sent, [jobId]))[0]?.counts ?? {};
};

describe('the deletion of a user whose comments caused and received notifications', () => {
  it('counts the notifications as a dry run does', async () => {
    const tenant = await aNotifyingComment();
    const run = await begunDeletion(api, tenant, { userIds: [ada.userId], dryRun: true });
    await whole(countPersonalData(api.orm, run));
    const deletion = await begunDeletion(api, tenant, { userIds: [ada.userId] });
    expect(await carriedOut(api, deletion)).toEqual([]);
    const { user: _, ...removed } = await countsOf(deletion.jobId);
    expect(removed).toEqual(await countsOf(run.jobId));
    expect(removed).toMatchObject({ notificationsCaused: 1, notificationsReceived: 1, comments: 1 });
  });

  it('removes notices of others about them, so that they neither send nor leave a trace', async () => {
    const tenant = await aNotifyingComment();
    const nothing = { notices: 0, windows: 0, outgoing: 0 };
    expect(await waitingOf(api, tenant)).toEqual({ ...nothing, notices: 1 });
    const deletion = await begunDeletion(api, tenant, { userIds: [ada.userId] });
    expect(await carriedOut(api, deletion)).toEqual([]);
    expect(await waitingOf(api, tenant)).toEqual(nothing);
    const before = mail.mails.length;
    await senders.turn(tenant, 3_700_000);
    expect(mail.mails.length).toBe(before);
    expect(await logOf(api, tenant)).toEqual([]);
  });
});

describe('a dry run that a release with another order of stores began', () => {
  it('counts a begun store once', async () => {
    const tenant = await aNotifyingComment();
    const run = await begunDeletion(api, tenant, { userIds: [ada.userId], dryRun: true });
    // All stores before comments are done, and the only comment is counted.
    await api.database.sql(
      `update user_data_deletion set counts = '{"comments": 1}', done_places = array['access', 'events', 'activities'],
         stand = (select json_build_object('place', 'comments', 'after', json_build_array(c.author_id::text, c.org_id::text, c.id::text))
           from comment c where c.api_key_id = $2)
       where job_id = $1`,
      [run.jobId, tenant.id],
    );
    await whole(countPersonalData(api.orm, run));
    expect(await countsOf(run.jobId)).toMatchObject({
      comments: 1,
      notificationsCaused: 1,
      notificationsReceived: 1,
    });
  });
});
