import { beforeEach, describe, expect, it } from '@jest/globals';
import type { RemainingThreads } from '../../../domain/comments/removal-job.ts';
import { freshId } from '../../support/factories.ts';
import { removeRemaining } from '../../support/remove-remaining.ts';
import { statementsOf } from '../../support/statements.ts';
import { withListeners } from '../../support/webhooks.ts';
import { documentScene } from '../../support/document-scene.ts';

const scene = await documentScene({ prepare: withListeners });
const { api, tenant } = scene;

let annotationId: string;

beforeEach(async () => {
  annotationId = freshId('annotation');
  await tenant.ok('/v2/commentannotations/add', {
    ...scene.document,
    commentAnnotations: [
      {
        annotationId,
        commentData: [
          comment('ada', { commentText: 'First' }),
          comment('ben', { taggedUserContacts: [{ userId: 'cid' }] }),
          comment('ada', { commentText: 'Third' }),
        ],
      },
    ],
  });
});

const both = { triggerNotification: true, triggerActivities: true };

const comment = (userId: string, members: object = {}): object => ({ from: { userId }, ...members });

const path = '/v2/commentannotations/comments/delete';

interface Deletion {
  readonly annotationDeleted?: boolean;
  readonly failedCount?: number;
  readonly jobId?: string;
}

const remove = async (more: object = {}, version = path) => {
  const result = await tenant.ok<Readonly<Record<string, object>>>(version, {
    ...scene.document,
    annotationId,
    ...more,
  });
  return result as typeof result & Deletion;
};

const add = async (...commentData: object[]) =>
  tenant.ok<number[]>('/v2/commentannotations/comments/add', {
    ...scene.document,
    annotationId,
    commentData,
  });

const left = async () => {
  const { data } = await tenant.ok<({ comments: { commentId: number }[] } | null)[]>(
    '/v2/commentannotations/get',
    { ...scene.document, annotationIds: [annotationId] },
  );
  return data[0]?.comments.map(({ commentId }) => commentId) ?? null;
};

/** The counters of the thread, and what its rows add up to. */
const counters = async () =>
  (
    await api.database.sql<Record<'stored' | 'counted', number[]>>(
      `select array[t.comment_count, t.reaction_count, t.content_bytes] as stored,
         array[count(c.id), coalesce(sum(r.reactions), 0), coalesce(sum(octet_length(c.body::text) + r.bytes), 0)]::int[] as counted
       from thread t left join comment c on c.thread_id = t.id left join lateral (
         select count(*) as reactions, coalesce(sum(octet_length(body::text)), 0) as bytes from reaction
         where comment_id = c.id) r on true
       where t.api_key_id = $1 and t.ext_id = $2 group by t.id`,
      [tenant.id, annotationId],
    )
  )[0];

const react = async (commentId: number) =>
  api.database.sql(
    `with r as (insert into reaction (comment_id, icon, user_id, api_key_id, org_id, at, body)
       select c.id, '+1', c.author_id, c.api_key_id, c.org_id, 1, '{"from":{"userId":"ada"}}'
       from comment c join thread t on t.id = c.thread_id where t.api_key_id = $1 and t.ext_id = $2 and c.ext_id = $3
       returning body)
     update thread set reaction_count = reaction_count + 1, content_bytes = content_bytes + (select octet_length(body::text) from r)
     where api_key_id = $1 and ext_id = $2`,
    [tenant.id, annotationId, commentId],
  );

const orphans = async () =>
  api.database.sql(
    `select 'comment' as of from comment c where not exists (select from thread t where t.id = c.thread_id)
     union all select 'reaction' from reaction r where not exists (select from comment c where c.id = r.comment_id)
     union all select 'person' from thread_person p where not exists (select from thread t where t.id = p.thread_id)
     union all select 'view' from thread_view v
       where v.thread_id > 0 and not exists (select from thread t where t.id = v.thread_id)
     union all select 'notification' from notification n
       where n.thread_id is not null and not exists (select from thread t where t.id = n.thread_id)
     union all select 'recipient' from notification_recipient r
       where not exists (select from notification n where n.audience = r.audience_id)`,
  );

const eventsOf = async () =>
  api.database.sql<{ type: string; payload: Record<string, unknown> }>(
    `select type, payload from event where api_key_id = $1 and payload ->> 'commentAnnotationId' = $2 order by id`,
    [tenant.id, annotationId],
  );

const notifications = async () =>
  (await tenant.ok<{ notificationSourceData: object }[]>('/v2/notifications/get', scene.document)).data.map(
    ({ notificationSourceData }) => notificationSourceData,
  );

const carryOut = async (jobId: string | undefined) => {
  const [job] = await api.database.sql<{ request: { records: { selection: RemainingThreads } } }>(
    'select request from job where public_id = $1',
    [jobId],
  );
  const selection = job?.request.records.selection;
  if (selection === undefined) throw new Error('missing job of the deletion');
  await removeRemaining(api.orm, tenant.id, selection);
};

describe('deleting comments', () => {
  it('deletes the listed comments, and returns an outcome for each id', async () => {
    const result = await remove({ commentIds: [3, 77, 1, 3] });
    expect(result).toEqual({
      status: 'success',
      message: 'Comments(s) deleted successfully.',
      data: {
        1: { success: true, id: 1, message: 'Deleted successfully' },
        3: { success: true, id: 3, message: 'Deleted successfully' },
        77: { success: false, id: 77, message: 'Not found', code: 'not-found' },
      },
      failedCount: 1,
    });
    expect(await left()).toEqual([2]);
    expect((await remove({ commentIds: [1] })).data).toMatchObject({ 1: { message: 'Not found' } });
  });

  it('deletes the comments of authors, and combines conditions with AND', async () => {
    expect((await remove({ commentIds: [2], userIds: ['ada'] })).data).toMatchObject({
      2: { success: false },
    });
    expect((await remove({ userIds: ['nobody'] })).data).toEqual({});
    const result = await remove({ userIds: ['ada', 'nobody'] });
    expect(Object.keys(result.data)).toEqual(['1', '3']);
    expect(result.annotationDeleted).toBeUndefined();
    expect(await left()).toEqual([2]);
  });

  it('keeps counters and roles exact', async () => {
    await react(1);
    await react(2);
    await remove({ commentIds: [1] });
    const first = await counters();
    expect(first?.stored).toEqual(first?.counted);
    expect(first?.stored.slice(0, 2)).toEqual([2, 1]);
    const roles = async () =>
      (
        await tenant.ok<object[]>('/v2/commentannotations/get', {
          ...scene.document,
          annotationIds: [annotationId],
        })
      ).data[0];
    expect(await roles()).toMatchObject({
      involvedUserIds: ['ada', 'ben', 'cid'],
      mentionedUserIds: ['cid'],
    });
    await remove({ commentIds: [2] });
    expect(await roles()).toMatchObject({ involvedUserIds: ['ada'], mentionedUserIds: [] });
    const second = await counters();
    expect(second?.stored).toEqual(second?.counted);
    expect(await orphans()).toEqual([]);
  });

  it.each(['/v2', '/v1'])('deletes the annotation with its last comment under %s', async (version) => {
    await react(1);
    const result = await remove({}, `${version}/commentannotations/comments/delete`);
    expect(result.annotationDeleted).toBe(true);
    expect(Object.keys(result.data)).toEqual(['1', '2', '3']);
    expect(await left()).toBeNull();
    expect(await orphans()).toEqual([]);
    const again = await tenant.refused(path, { ...scene.document, annotationId });
    expect([again.http, again.message]).toEqual([404, 'Annotation not found.']);
  });

  it('counts a deletion as a change of the annotation by its actor', async () => {
    const unread = async (userId: string) =>
      (
        await tenant.ok<Record<string, { unread: number }>>('/v2/commentannotations/count/get', {
          organizationId: scene.document.organizationId,
          documentIds: [scene.document.documentId],
          userId,
        })
      ).data[scene.document.documentId]?.unread;
    const viewedAt = Date.now();
    for (const userId of ['ada', 'eve'])
      await tenant.ok('/v2/commentannotations/viewed/set', { ...scene.document, userId, viewedAt });
    await tenant.ok('/v2/commentannotations/comments/add', {
      ...scene.document,
      annotationId,
      commentData: [comment('ben', { lastUpdated: viewedAt + 1_000 })],
    });
    await remove({ commentIds: [4], actionUser: { userId: 'eve' } });
    expect([await unread('ada'), await unread('eve')]).toEqual([1, 0]);
  });

  it('refuses unknown members, and ids out of range', async () => {
    const refused = async (more: object) =>
      (await tenant.refused(path, { ...scene.document, annotationId, ...more })).status;
    expect(await refused({ surprise: 1 })).toBe('INVALID_ARGUMENT');
    expect(await refused({ commentIds: [] })).toBe('INVALID_ARGUMENT');
    expect(await refused({ commentIds: [0] })).toBe('INVALID_ARGUMENT');
    expect(await refused({ userIds: Array.from({ length: 31 }, (_, n) => String(n)) })).toBe(
      'INVALID_ARGUMENT',
    );
  });

  it('uses as many statements for 1 comment as for 300, with and without events', async () => {
    await add(...Array.from({ length: 610 }, () => comment('ben')));
    const idsFrom = (first: number, count: number) => Array.from({ length: count }, (_, n) => first + n);
    const sent = async (commentIds: readonly number[], more: object = {}) =>
      (await statementsOf(async () => remove({ commentIds, ...more }))).length;
    await sent([4]);
    expect(await sent(idsFrom(5, 300))).toBe(await sent([305]));
    await sent([306], both);
    expect(await sent(idsFrom(307, 300), both)).toBe(await sent([607], both));
  });

  it('of the last comment concurrent with an addition keeps or deletes the annotation with all of its rows', async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = freshId('annotation');
      const request = { ...scene.document, annotationId: id };
      await tenant.ok('/v2/commentannotations/add', {
        ...scene.document,
        commentAnnotations: [{ annotationId: id, commentData: [comment('ada')] }],
      });
      const [deleted, added] = await Promise.all([
        tenant.ok(path, { ...request, commentIds: [1] }),
        tenant.call('/v2/commentannotations/comments/add', { ...request, commentData: [comment('ben')] }),
      ]);
      expect([200, 404]).toContain(added.status);
      expect((deleted as Deletion).annotationDeleted === true).toBe(added.status === 404);
    }
    expect(await orphans()).toEqual([]);
  });
});

describe('a deletion that triggers', () => {
  it('emits each comment by its author, or by actionUser', async () => {
    await remove({ commentIds: [2], ...both });
    await remove({ commentIds: [3], ...both, actionUser: { userId: 'eve' } });
    expect(await eventsOf()).toMatchObject([
      {
        type: 'comment.delete',
        payload: {
          actionUser: { userId: 'ben' },
          targetComment: { commentId: 2 },
          commentAnnotation: { commentsCount: 2 },
        },
      },
      {
        type: 'comment.delete',
        payload: {
          actionUser: { userId: 'eve' },
          targetComment: { commentText: 'Third' },
          commentAnnotation: { commentsCount: 1 },
        },
      },
    ]);
    const activities = await tenant.ok<object[]>('/v2/activities/get', scene.document);
    expect(activities.data).toMatchObject([
      { actionType: 'comment.delete', targetSubEntityId: '3' },
      { actionType: 'comment.delete', targetSubEntityId: '2' },
    ]);
    expect(await notifications()).toEqual([]);
  });

  it('emits the annotation without the deleted comments', async () => {
    await remove({ commentIds: [2, 3], ...both, actionUser: { userId: 'eve' } });
    const [annotation] = (
      await tenant.ok<{ lastUpdated: number }[]>('/v2/commentannotations/get', scene.document)
    ).data;
    const shown = { commentsCount: 1, lastUpdated: annotation?.lastUpdated };
    expect((await eventsOf()).map(({ payload }) => payload)).toMatchObject([
      { commentAnnotation: shown, targetComment: { commentId: 2 } },
      { commentAnnotation: shown, targetComment: { commentId: 3 } },
    ]);
    const activities = await tenant.ok<object[]>('/v2/activities/get', scene.document);
    expect(activities.data).toMatchObject([{ entityData: shown }, { entityData: shown }]);
  });

  it('emits the deletion of the annotation after that of its comments', async () => {
    await remove({ ...both });
    // The annotation as it was before: nothing is left of it after the change.
    const payload = { commentAnnotation: { annotationId, commentsCount: 3 } };
    expect(await eventsOf()).toMatchObject([
      { type: 'comment.delete', payload },
      { type: 'comment.delete', payload },
      { type: 'comment.delete', payload },
      { type: 'comment_annotation.delete', payload },
    ]);
  });

  it('emits nothing without a flag or without a deleted comment', async () => {
    await remove({ commentIds: [1] });
    await remove({ commentIds: [77], ...both });
    expect(await eventsOf()).toEqual([]);
  });

  it('emits the deletion of annotations', async () => {
    const actionUser = { userId: 'eve', name: 'Eve' };
    await tenant.ok('/v2/workspace/activityconfig/update', {
      activityServiceConfig: { triggers: { 'comment_annotation.delete': true } },
    });
    await tenant.ok('/v2/commentannotations/delete', { ...scene.document, actionUser, ...both });
    const [event, ...others] = await eventsOf();
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      type: 'comment_annotation.delete',
      payload: {
        actionUser,
        commentAnnotation: { annotationId, commentsCount: 3 },
        metadata: scene.document,
      },
    });
    expect(event?.payload).not.toHaveProperty('targetComment');
    const activities = await tenant.ok<object[]>('/v2/activities/get', scene.document);
    expect(activities.data).toMatchObject([
      { actionType: 'comment_annotation.delete', targetEntityId: annotationId },
    ]);
  });
});

describe('notifications of deleted comments', () => {
  it('are deleted with their comment and with their annotation', async () => {
    await add(comment('ben', both), comment('cid', both));
    expect(await notifications()).toHaveLength(2);
    await remove({ commentIds: [4] });
    expect(await notifications()).toMatchObject([{ commentId: 5 }]);
    await tenant.ok('/v2/commentannotations/delete', { ...scene.document, annotationIds: [annotationId] });
    expect(await notifications()).toEqual([]);
    expect(await orphans()).toEqual([]);
  });

  it.each([
    ['comment', { commentIds: [4] }],
    ['annotation', {}],
  ])('beyond 1,000 are left to a job when the %s is deleted', async (_, selection) => {
    await add(comment('ben', both));
    await api.database.sql(
      `with copies as (
         insert into notification (api_key_id, org_id, document_id, ext_id, source, actor_id, ts, thread_id, comment_id, mentioned,
           recipient_count, body)
         select n.api_key_id, n.org_id, n.document_id, n.ext_id || '-' || g, n.source, n.actor_id, n.ts, n.thread_id, n.comment_id,
           n.mentioned, 1, n.body
         from notification n cross join generate_series(1, 1200) g
         where n.document_id = (select d.id from document d join organization o on o.id = d.org_id
           where d.api_key_id = $1 and d.ext_id = $2 and o.ext_id = $3)
         returning *)
       insert into notification_recipient (audience_id, user_id, api_key_id, org_id, document_id, ts)
       select audience, actor_id, api_key_id, org_id, document_id, ts from copies`,
      [tenant.id, scene.document.documentId, scene.document.organizationId],
    );
    const { jobId } = await remove(selection);
    expect(jobId).toEqual(expect.any(String));
    await carryOut(jobId);
    expect(await notifications()).toEqual([]);
    expect(await orphans()).toEqual([]);
  });
});
