import { beforeEach, describe, expect, it } from '@jest/globals';
import { freshId } from '../../support/factories.ts';
import { documentScene } from '../../support/document-scene.ts';

const scene = await documentScene();
const { api, tenant } = scene;

let annotationId: string;

beforeEach(async () => {
  annotationId = freshId('annotation');
  await tenant.ok('/v2/commentannotations/add', {
    ...scene.document,
    commentAnnotations: [{ annotationId, commentData: [comment({ createdAt: 1, commentText: 'First' })] }],
  });
});

interface Comment {
  readonly commentId: number;
  readonly [member: string]: unknown;
}

interface Authored {
  readonly from: { readonly userId: string };
  readonly reactionAnnotations: readonly {
    readonly fromUsers: readonly { readonly from: { readonly userId: string } }[];
  }[];
}

const comment = (members: object = {}): object => ({ from: { userId: 'ada', name: 'Ada' }, ...members });

const requestOf = (commentData: readonly object[], more: object = {}): object => ({
  ...scene.document,
  annotationId,
  commentData,
  ...more,
});

const path = '/v2/commentannotations/comments/add';

const add = async (commentData: readonly object[], more: object = {}) =>
  tenant.ok<number[]>(path, requestOf(commentData, more));

const refused = async (commentData: readonly object[], more: object = {}) =>
  tenant.refused(path, requestOf(commentData, more));

const get = async (more: object = {}) =>
  tenant.ok<(Comment | null)[]>('/v2/commentannotations/comments/get', {
    ...scene.document,
    annotationId,
    ...more,
  });

const idsOf = async (more: object = {}) => (await get(more)).data.map((found) => found?.commentId ?? null);

const threadRow = async () =>
  (
    await api.database.sql<Record<string, number>>(
      `select t.comment_count, t.content_bytes, t.last_comment_id::float8 as last_comment_id, t.updated_at::float8 as updated_at,
         (select count(*) from comment c where c.thread_id = t.id)::int as comments,
         (select sum(octet_length(c.body::text)) from comment c where c.thread_id = t.id)::int as bytes
       from thread t where t.api_key_id = $1 and t.ext_id = $2`,
      [tenant.id, annotationId],
    )
  )[0];

describe('adding comments', () => {
  it('returns their ids in request order, and stores every member that was sent', async () => {
    const full = {
      commentId: 9,
      from: { userId: 'ben', name: 'Ben' },
      commentText: 'Ask {{ada}}',
      commentHtml: '<b onclick="x">Ask</b>',
      taggedUserContacts: [{ userId: 'ada', contact: { userId: 'ada', name: 'Ada' } }],
      attachments: [{ attachmentId: 1, url: 'https://files.example.com/1' }],
      context: { team: 'blue' },
      createdAt: 5,
      lastUpdated: 6,
    };
    const result = await add([comment(), full, comment({ commentText: 'Last' })]);
    expect(result).toEqual({
      status: 'success',
      message: 'Comment(s) added successfully.',
      data: [10, 9, 11],
    });
    expect((await get({ commentIds: [9] })).data).toEqual([
      {
        ...full,
        type: 'text',
        status: 'added',
        isDraft: false,
        isEdited: false,
        editedAt: null,
        to: [{ userId: 'ada', name: 'Ada' }],
        isCommentTextAvailable: true,
        isCommentResolverUsed: false,
        reactionAnnotationIds: [],
        reactionAnnotations: [],
        sourceType: 'rest-api',
      },
    ]);
    const thread = await tenant.ok<object[]>('/v2/commentannotations/get', {
      ...scene.document,
      annotationIds: [annotationId],
    });
    expect(thread.data).toMatchObject([
      { commentsCount: 4, involvedUserIds: ['ada', 'ben'], mentionedUserIds: ['ada'] },
    ]);
  });

  it('accepts the older name comments under v1, and refuses both names together', async () => {
    const data = { ...scene.document, annotationId, comments: [comment()], surprise: 1 };
    expect((await tenant.ok('/v1/commentannotations/comments/add', data)).data).toEqual([2]);
    expect((await refused([comment()], { comments: [comment()] })).message).toBe(
      'commentData and comments exclude each other.',
    );
    expect((await tenant.refused(path, { ...scene.document, annotationId })).message).toBe(
      'commentData is required.',
    );
  });

  it('assigns ids beyond 2^52 that select their comments', async () => {
    const max = 2 ** 52;
    expect((await add([comment({ commentId: max }), comment()])).data).toEqual([max, max + 1]);
    const commentIds = [max + 1];
    const of = { ...scene.document, annotationId };
    expect(await idsOf({ commentIds })).toEqual(commentIds);
    const { data } = await tenant.ok('/v2/commentannotations/comments/reactions/add', {
      ...of,
      commentId: max + 1,
      icon: '+1',
      from: { userId: 'ben' },
    });
    expect(data).toMatchObject({ count: 1 });
    const updatedData = { commentText: 'New' };
    for (const [verb, request] of [
      ['update', { commentIds, updatedData }],
      ['delete', { commentIds }],
    ] as const)
      expect(
        (await tenant.ok(`/v2/commentannotations/comments/${verb}`, { ...of, ...request })).data,
      ).toMatchObject({ [max + 1]: { success: true, id: max + 1 } });
  });

  it('creates neither an annotation nor its document', async () => {
    const unknown = await refused([comment()], { annotationId: 'nothing' });
    expect([unknown.http, unknown.message]).toEqual([404, 'Annotation not found.']);
    const documentId = freshId('document');
    const missing = await refused([comment()], { documentId, createDocument: true });
    expect(missing.message).toBe('Annotation not found.');
    const { data } = await tenant.ok<unknown[]>('/v2/organizations/documents/get', {
      organizationId: scene.document.organizationId,
      documentIds: [documentId],
    });
    expect(data).toEqual([]);
  });

  it('with the caller’s ids changes nothing when repeated, and refuses another comment with an existing id', async () => {
    const sent = [comment({ commentId: 5, commentText: 'Mine' }), comment({ commentText: 'Next' })];
    expect((await add(sent)).data).toEqual([5, 6]);
    const before = await threadRow();
    expect((await add(sent)).data).toEqual([5, 6]);
    expect(await threadRow()).toEqual(before);
    const other = await refused([comment({ commentId: 5, commentText: 'Other' })]);
    expect([other.http, other.status, other.message]).toEqual([
      409,
      'ALREADY_EXISTS',
      'Comment already exists.',
    ]);
    const mixed = await refused([...sent, comment({ commentText: 'New' })]);
    expect(mixed.message).toBe('Comment already exists.');
    const twice = await refused([comment({ commentId: 8 }), comment({ commentId: 8 })]);
    expect(twice.status).toBe('INVALID_ARGUMENT');
    expect(await threadRow()).toEqual(before);
  });

  it('finds repeated comments of equal content in the order of their ids', async () => {
    const sent = [comment({ commentId: 5, commentText: 'Mine' }), comment(), comment(), comment()];
    const { data } = await add(sent);
    expect(new Set(data).size).toBe(4);
    expect((await add(sent)).data).toEqual(data);
    const further = await refused([...sent, comment()]);
    expect(further.message).toBe('Comment already exists.');
  });

  it('does not take equal comments of other calls for those of a repeated call', async () => {
    const plusOne = comment({ commentText: '+1' });
    await add([plusOne]);
    const sent = [comment({ commentId: 50, commentText: 'Mine' }), plusOne];
    const { data } = await add(sent);
    expect((await add(sent)).data).toEqual(data);
    const other = comment({ commentId: 60, commentText: 'Mine' });
    await add([other]);
    expect((await refused([other, plusOne])).message).toBe('Comment already exists.');
  });

  it('refuses the whole call when an author has no access', async () => {
    await tenant.ok('/v2/organizations/documents/access/update', {
      organizationId: scene.document.organizationId,
      documentIds: [scene.document.documentId],
      accessType: 'restricted',
    });
    await tenant.ok('/v2/users/add', { ...scene.document, users: [{ userId: 'ada' }] });
    const refusal = await refused([comment(), comment({ from: { userId: 'eve' } })], {
      verifyUserPermissions: true,
    });
    expect([refusal.http, refusal.message, refusal.details['userIds']]).toEqual([
      403,
      'User does not have access to document',
      ['eve'],
    ]);
    expect(await idsOf()).toEqual([1]);
    await add([comment()], { verifyUserPermissions: true });
  });

  it('never lowers lastUpdated of the annotation', async () => {
    const ahead = Date.now() + 3_600_000;
    await add([comment({ lastUpdated: ahead })]);
    await add([comment()]);
    expect((await threadRow())?.['updated_at']).toBe(ahead);
  });

  it('stores 1,000 comments of a thread and refuses the next', async () => {
    await add(Array.from({ length: 999 }, () => comment()));
    const refusal = await refused([comment()]);
    expect([refusal.status, refusal.message]).toEqual([
      'FAILED_PRECONDITION',
      'An annotation may hold 1000 comments.',
    ]);
    expect(await idsOf()).toHaveLength(1_000);
  });

  it('refuses more than 8 MiB in a thread', async () => {
    const commentHtml = '<'.repeat(200_000);
    await add(Array.from({ length: 41 }, () => comment({ commentHtml })));
    expect((await refused([comment({ commentHtml })])).message).toBe(
      'An annotation may hold 8 MiB of comments and reactions.',
    );
    const first = await get();
    expect(first.data).toHaveLength(42);
  });

  it('refuses a thread that involves more than 1,000 users', async () => {
    const users = (from: number, count: number) =>
      Array.from({ length: count }, (_, n) => comment({ from: { userId: `u${String(from + n)}` } }));
    await add(users(0, 900));
    const tags = Array.from({ length: 100 }, (_, n) => ({ userId: `t${String(n)}` }));
    expect((await refused([comment({ taggedUserContacts: tags })])).message).toBe(
      'An annotation may involve 1000 users.',
    );
    await add([comment({ taggedUserContacts: tags.slice(1) })]);
  });

  it('counts exactly under 50 concurrent writers, with each id once', async () => {
    const calls = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => add([comment({ commentText: String(n) }), comment()])),
    );
    const ids = calls.flatMap(({ data }) => data);
    expect(new Set(ids).size).toBe(100);
    const row = await threadRow();
    expect(row).toMatchObject({ comment_count: 101, comments: 101, last_comment_id: 101 });
    expect(row?.['content_bytes']).toBe(row?.['bytes']);
  });
});

describe('reading comments', () => {
  beforeEach(async () => {
    await add([
      comment({ createdAt: 30, commentText: 'late' }),
      comment({ createdAt: 20, from: { userId: 'ben' } }),
      comment({ createdAt: 20 }),
    ]);
  });

  it('returns them by createdAt, then order of writing, and by author', async () => {
    expect(await idsOf()).toEqual([1, 3, 4, 2]);
    expect(await idsOf({ userIds: ['ben', 'nobody'] })).toEqual([3]);
    expect(await idsOf({ userIds: ['nobody'] })).toEqual([]);
  });

  it('returns them by id in request order, and null for an unknown one', async () => {
    expect(await idsOf({ commentIds: [4, 77, 1, 4] })).toEqual([4, null, 1]);
    expect(await idsOf({ commentIds: [3, 4], userIds: ['ben'] })).toEqual([3, null]);
  });

  it.each(['/v2', '/v1'])('pages them under %s', async (version) => {
    const seen: (number | undefined)[] = [];
    let pageToken: string | undefined;
    do {
      const page = await tenant.ok<Comment[]>(`${version}/commentannotations/comments/get`, {
        ...scene.document,
        annotationId,
        pageSize: 3,
        ...(pageToken !== undefined && { pageToken }),
      });
      seen.push(...page.data.map(({ commentId }) => commentId));
      pageToken = page.nextPageToken;
    } while (pageToken !== undefined);
    expect(seen).toEqual([1, 3, 4, 2]);
  });

  it('returns a comment and its reactions from one snapshot while a user is replaced in both', async () => {
    const users = ['ada', 'eve'].map((userId) => ({ userId }));
    await tenant.ok('/v2/commentannotations/comments/reactions/add', {
      ...scene.document,
      annotationId,
      commentId: 1,
      icon: '+1',
      from: users[0],
    });
    let writing = true;
    const write = async (): Promise<void> => {
      try {
        for (let round = 0; round < 40; round += 1) {
          const [oldUser, newUser] = round % 2 === 0 ? users : users.toReversed();
          await tenant.ok('/v2/commentannotations/update', {
            ...scene.document,
            annotationIds: [annotationId],
            updateUsers: [{ oldUser, newUser }],
          });
        }
      } finally {
        writing = false;
      }
    };
    const mixed: unknown[] = [];
    const read = async (): Promise<void> => {
      for (const more of [{}, { commentIds: [1] }]) {
        const [found] = (await get(more)).data;
        const { from, reactionAnnotations } = found as unknown as Authored;
        const users = reactionAnnotations.flatMap(({ fromUsers }) => fromUsers.map((one) => one.from.userId));
        if (users.join() !== from.userId) mixed.push([from.userId, users]);
      }
      if (writing) await read();
    };
    await Promise.all([write(), read(), read(), read()]);
    expect(mixed).toEqual([]);
  });

  it('refuses commentIds with a pageToken, and an unknown annotation', async () => {
    const read = '/v2/commentannotations/comments/get';
    const data = { ...scene.document, annotationId, commentIds: [1], pageToken: 'x' };
    expect((await tenant.refused(read, data)).message).toBe('commentIds and pageToken exclude each other.');
    const unknown = await tenant.refused(read, { ...scene.document, annotationId: 'nothing' });
    expect([unknown.http, unknown.message]).toEqual([404, 'Annotation not found.']);
  });
});
