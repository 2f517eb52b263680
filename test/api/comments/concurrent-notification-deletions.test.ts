import { describe, expect, it } from '@jest/globals';
import { begunDeletion, carriedOut } from '../../domain/deletion/carry-out.ts';
import { documentScene } from '../../support/document-scene.ts';
import { eventually } from '../../support/eventually.ts';
import { runCascade } from '../../support/run-cascade.ts';

const scene = await documentScene({ tenantPerTest: true });
const { api } = scene;

/** Adds an annotation with a comment of Ada, `count` notifications of it by Ben, and a second comment by Ben. */
async function notified(count: number): Promise<void> {
  const commentData = [{ from: { userId: 'ada' }, commentText: 'Look' }, { from: { userId: 'ben' } }];
  await scene.tenant.ok('/v2/commentannotations/add', {
    ...scene.document,
    commentAnnotations: [{ annotationId: 'popular', commentData }],
  });
  await api.database.sql(
    `with added as (
       insert into notification (api_key_id, org_id, document_id, ext_id, source, actor_id, ts, thread_id, comment_id,
         recipient_count, body)
       select t.api_key_id, t.org_id, t.document_id, 'copy-' || n, 2, b.author_id, n, t.id, a.id, 1, '{}'
       from thread t join comment a on a.thread_id = t.id and a.ext_id = 1
         join comment b on b.thread_id = t.id and b.ext_id = 2, generate_series(1, $2::int) n
       where t.api_key_id = $1 order by n
       returning *)
     insert into notification_recipient (audience_id, user_id, api_key_id, org_id, document_id, ts)
     select audience, actor_id, api_key_id, org_id, document_id, ts from added`,
    [scene.tenant.id, count],
  );
}

/** Deletes notifications, and commits when `act` waits for them. */
async function whileDeleting<Result>(condition: string, act: () => Promise<Result>): Promise<Result> {
  const other = await api.database.connect();
  await other.query('begin');
  const deleted = await other.query<{ audience: string }>(
    `delete from notification n where n.api_key_id = $1 and ${condition} returning audience`,
    [scene.tenant.id],
  );
  await other.query('delete from notification_recipient where audience_id = any($1::bigint[])', [
    deleted.rows.map(({ audience }) => audience),
  ]);
  const acting = act();
  await eventually(async () => {
    const waiting = await api.database.sql(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return waiting.length > 0;
  });
  await other.query('commit');
  return acting;
}

const remaining = async () =>
  api.database.sql(
    `select 'notification' as of from notification where api_key_id = $1
     union all select 'recipient' from notification_recipient where api_key_id = $1`,
    [scene.tenant.id],
  );

/** Calls that delete the subject of the notifications. */
const removals = {
  comment: async () =>
    scene.tenant.ok('/v2/commentannotations/comments/delete', {
      ...scene.document,
      annotationId: 'popular',
      commentIds: [1],
    }),
  annotation: async () => scene.tenant.ok('/v2/commentannotations/delete', scene.document),
};

describe.each(Object.entries(removals))('notifications of a deleted %s', (_, remove) => {
  it('are left to a job when a concurrent call deletes some of those that the call chose', async () => {
    await notified(3_000);
    const { jobId } = await whileDeleting('n.ts % 10 = 0', remove);
    expect(jobId).toEqual(expect.any(String));
    await runCascade(api, jobId);
    expect(await remaining()).toEqual([]);
  });

  it('are all deleted by the job when a concurrent call deletes all that a step chose', async () => {
    await notified(2_500);
    const { jobId } = await remove();
    await whileDeleting('n.ts <= 2490', async () => runCascade(api, jobId));
    expect(await remaining()).toEqual([]);
  });
});

describe('notifications by others of a comment of a deleted user', () => {
  it('are all deleted when a concurrent call deletes all that a step chose', async () => {
    await notified(1_500);
    const deletion = await begunDeletion(api, scene.tenant, { userIds: ['ada'] });
    await whileDeleting('n.ts <= 1490', async () => carriedOut(api, deletion));
    expect(await remaining()).toEqual([]);
  });
});
