import { beforeEach, describe, expect, it } from '@jest/globals';
import { freshId } from '../../support/factories.ts';
import { documentScene } from '../../support/document-scene.ts';

const scene = await documentScene();
const { api, tenant } = scene;

let annotationId: string;

beforeEach(async () => {
  annotationId = freshId('annotation');
  const commentData = [{ from: user('ada'), commentText: 'First' }, { from: user('ada') }];
  await tenant.ok('/v2/commentannotations/add', {
    ...scene.document,
    commentAnnotations: [{ annotationId, commentData }],
  });
});

const user = (userId: string) => ({ userId, name: `Name of ${userId}` });

const paths = {
  add: '/v2/commentannotations/comments/reactions/add',
  delete: '/v2/commentannotations/comments/reactions/delete',
} as const;

const requestOf = (userId: string, more: object = {}) => ({
  ...scene.document,
  annotationId,
  commentId: 1,
  icon: '👍',
  from: user(userId),
  ...more,
});

const add = async (userId: string, more: object = {}) =>
  (await tenant.ok<{ annotationId: string; count: number }>(paths.add, requestOf(userId, more))).data;

const remove = async (userId: string, more: object = {}) =>
  (await tenant.ok<{ count: number }>(paths.delete, requestOf(userId, more))).data;

interface Comment {
  readonly commentId: number;
  readonly reactionAnnotationIds: string[];
  readonly reactionAnnotations: { readonly annotationId: string; readonly icon: string }[];
}

const commentOf = async (commentId = 1): Promise<Comment> => {
  const path = '/v2/commentannotations/comments/get';
  const { data } = await tenant.ok<Comment[]>(path, {
    ...scene.document,
    annotationId,
    commentIds: [commentId],
  });
  const [comment] = data;
  if (comment === undefined) throw new Error('missing comment');
  return comment;
};

/** The counters of the thread as stored, and as its rows add up. */
const threadRow = async () =>
  (
    await api.database.sql<Record<string, number>>(
      `select t.reaction_count, t.content_bytes, t.updated_at::float8 as updated_at, n.reactions, n.bytes from thread t cross join lateral (
         select coalesce(sum(r.reactions), 0)::int as reactions,
           sum(octet_length(c.body::text) + r.bytes)::int as bytes
         from comment c cross join lateral (
           select count(*) as reactions, coalesce(sum(octet_length(body::text)), 0) as bytes
           from reaction where comment_id = c.id) r
         where c.thread_id = t.id) n
       where t.api_key_id = $1 and t.ext_id = $2`,
      [tenant.id, annotationId],
    )
  )[0] ?? {};

const expectExactCounters = async (reactions: number): Promise<void> => {
  const row = await threadRow();
  expect(row).toMatchObject({ reaction_count: reactions, reactions });
  expect(row['content_bytes']).toBe(row['bytes']);
};

/** Adds reactions of one new user to the first comment by SQL, one for each icon. */
const furnish = async (icons: readonly string[]): Promise<void> => {
  await api.database.sql(
    `with c as (select c.id, c.org_id, t.id as thread from comment c join thread t on t.id = c.thread_id
       where t.api_key_id = $1 and t.ext_id = $2 and c.ext_id = 1),
     r as (insert into reaction (comment_id, icon, user_id, api_key_id, org_id, at, body)
       select c.id, i.icon, u.id, $1, c.org_id, 1, '{"from":{"userId":"ada"}}'
       from c, app_user u, unnest($3::text[]) as i (icon) where u.api_key_id = $1 and u.ext_id = 'ada' returning body)
     update thread set reaction_count = reaction_count + (select count(*) from r),
       content_bytes = content_bytes + coalesce((select sum(octet_length(body::text)) from r), 0)
     where id = (select thread from c)`,
    [tenant.id, annotationId, [...icons]],
  );
};

describe('a reaction', () => {
  it('is added once for each user, icon and comment', async () => {
    const first = await add('ben');
    expect(first).toEqual({ annotationId: expect.stringMatching(/^rea_/), count: 1 });
    expect(await add('cid')).toEqual({ annotationId: first.annotationId, count: 2 });
    expect(await add('ben', { createdAt: 5 })).toEqual({ annotationId: first.annotationId, count: 2 });
    const other = await add('ben', { icon: '🎉' });
    expect(other.count).toBe(1);
    const elsewhere = await add('ben', { commentId: 2 });
    expect(new Set([first, other, elsewhere].map((one) => one.annotationId)).size).toBe(3);
    await expectExactCounters(4);
  });

  it('is returned with its comment: icons in the order of first use, users as sent', async () => {
    const ben = { ...user('ben'), email: 'ben@example.com', team: { color: 'blue' } };
    await add('ben', { icon: 'b', createdAt: 20, from: ben });
    await add('cid', { icon: 'a', createdAt: 30 });
    await add('dan', { icon: 'b', createdAt: 40 });
    const { reactionAnnotations, reactionAnnotationIds } = await commentOf();
    const shared = { type: 'reaction', commentAnnotationId: annotationId };
    expect(reactionAnnotations).toEqual([
      {
        ...shared,
        annotationId: reactionAnnotationIds[0],
        icon: 'b',
        lastUpdated: 40,
        fromUsers: [
          { from: ben, lastUpdated: 20 },
          { from: user('dan'), lastUpdated: 40 },
        ],
        count: 2,
      },
      {
        ...shared,
        annotationId: reactionAnnotationIds[1],
        icon: 'a',
        lastUpdated: 30,
        fromUsers: [{ from: user('cid'), lastUpdated: 30 }],
        count: 1,
      },
    ]);
  });

  it('is deleted without others, and has the same id when it is added again', async () => {
    const { annotationId: id } = await add('ben');
    await add('cid');
    expect(await remove('ben')).toEqual({ count: 1 });
    expect(await remove('cid')).toEqual({ count: 0 });
    expect((await commentOf()).reactionAnnotations).toEqual([]);
    await expectExactCounters(0);
    expect(await add('dan')).toEqual({ annotationId: id, count: 1 });
  });

  it('makes the annotation unread for other users, and changes nothing when repeated', async () => {
    const unreadOf = async (userId: string) =>
      (
        await tenant.ok<Record<string, { unread: number }>>('/v2/commentannotations/count/get', {
          organizationId: scene.document.organizationId,
          documentIds: [scene.document.documentId],
          userId,
        })
      ).data[scene.document.documentId]?.unread;
    const read = async () => {
      for (const userId of ['ada', 'ben'])
        await tenant.ok('/v2/commentannotations/viewed/set', { ...scene.document, userId });
    };
    for (const change of [add, remove]) {
      await read();
      await change('ben');
      expect([await unreadOf('ada'), await unreadOf('ben')]).toEqual([1, 0]);
    }
    await add('ben');
    const before = await threadRow();
    await add('ben');
    expect(await threadRow()).toEqual(before);
  });

  it('never decreases lastUpdated', async () => {
    const ahead = Date.now() + 60_000;
    await api.database.sql('update thread set updated_at = $3 where api_key_id = $1 and ext_id = $2', [
      tenant.id,
      annotationId,
      ahead,
    ]);
    await add('ben');
    expect((await threadRow())['updated_at']).toBe(ahead);
  });
});

describe('50 users who react at once', () => {
  it('are all counted, whatever they add and delete', async () => {
    const users = Array.from({ length: 50 }, (_, n) => `u${String(n)}`);
    const counts = await Promise.all(users.map(async (userId) => (await add(userId)).count));
    expect(counts.toSorted((one, other) => one - other)).toEqual(users.map((_, n) => n + 1));
    await expectExactCounters(50);
    await Promise.all(
      users.map(async (userId, n) =>
        n % 2 === 0 ? remove(userId) : add(userId, { icon: `i${String(n % 5)}` }),
      ),
    );
    await expectExactCounters(50);
  });
});

describe.each(['add', 'delete'] as const)('reactions/%s', (verb) => {
  const refused = async (more: object) => tenant.refused(paths[verb], requestOf('ben', more));

  it('returns NOT_FOUND for an unknown annotation, comment, document and organization', async () => {
    expect(await refused({ annotationId: 'none' })).toMatchObject({
      status: 'NOT_FOUND',
      message: 'Annotation not found.',
    });
    expect(await refused({ commentId: 3 })).toMatchObject({
      status: 'NOT_FOUND',
      message: 'Comment not found.',
    });
    expect(await refused({ documentId: 'none' })).toMatchObject({ status: 'NOT_FOUND' });
    expect(await refused({ organizationId: 'none' })).toMatchObject({ status: 'NOT_FOUND' });
  });

  it('rejects an icon beyond 1 to 100 characters, and an invalid comment id', async () => {
    for (const bad of [
      { icon: '' },
      { icon: 'x'.repeat(101) },
      { icon: 1 },
      { commentId: 0 },
      { commentId: 1.5 },
    ])
      expect(await refused(bad)).toMatchObject({ status: 'INVALID_ARGUMENT' });
  });

  it('is refused for a user without access when it verifies permissions', async () => {
    await tenant.ok('/v2/organizations/documents/access/update', {
      organizationId: scene.document.organizationId,
      documentIds: [scene.document.documentId],
      accessType: 'restricted',
    });
    await tenant.ok('/v2/users/add', { ...scene.document, users: [user('cid')] });
    const verified = { verifyUserPermissions: true };
    expect(await refused(verified)).toMatchObject({
      status: 'PERMISSION_DENIED',
      message: 'User does not have access to document',
      details: { userIds: ['ben'] },
    });
    await add('cid');
    await tenant.ok(paths[verb], requestOf('cid', verified));
    await add('ben');
  });
});

describe('limits of reactions', () => {
  it('returns NOT_FOUND when there is nothing to delete', async () => {
    await add('ben');
    for (const [userId, more] of [
      ['cid', {}],
      ['ben', { icon: 'other' }],
      ['ben', { commentId: 2 }],
    ] as const)
      expect(await tenant.refused(paths.delete, requestOf(userId, more))).toMatchObject({
        status: 'NOT_FOUND',
        message: 'Reaction not found.',
      });
  });

  it('refuses the 101st icon of a comment, but not another use of one of the 100', async () => {
    await furnish(Array.from({ length: 99 }, (_, n) => `icon-${String(n)}`));
    await add('ben', { icon: 'last' });
    expect(await tenant.refused(paths.add, requestOf('ben', { icon: 'more' }))).toMatchObject({
      status: 'FAILED_PRECONDITION',
      message: 'A comment may hold 100 different reactions.',
    });
    expect((await add('ben', { icon: 'icon-1' })).count).toBe(2);
    expect((await add('ben', { icon: 'more', commentId: 2 })).count).toBe(1);
  });

  it('refuses reactions beyond 10,000 or 8 MiB of an annotation, and adds the last one that fits', async () => {
    const set = async (assignment: string) =>
      api.database.sql(`update thread set ${assignment} where api_key_id = $1 and ext_id = $2`, [
        tenant.id,
        annotationId,
      ]);
    const bytes = Buffer.byteLength(JSON.stringify({ from: user('ben') }));
    await set('reaction_count = 9999');
    await add('ben');
    expect(await tenant.refused(paths.add, requestOf('cid'))).toMatchObject({
      status: 'FAILED_PRECONDITION',
      message: 'An annotation may hold 10000 reactions.',
    });
    await set(`reaction_count = 1, content_bytes = ${String(8_388_608 - bytes)}`);
    await add('cid');
    expect(await tenant.refused(paths.add, requestOf('dan'))).toMatchObject({
      status: 'FAILED_PRECONDITION',
      message: 'An annotation may hold 8 MiB of comments and reactions.',
    });
    expect((await add('cid')).count).toBe(2);
  });
});
