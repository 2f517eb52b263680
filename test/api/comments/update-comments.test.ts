import { beforeEach, describe, expect, it } from '@jest/globals';
import { freshId } from '../../support/factories.ts';
import { statementsOf } from '../../support/statements.ts';
import { withListeners } from '../../support/webhooks.ts';
import { documentScene } from '../../support/document-scene.ts';

const scene = await documentScene({ prepare: withListeners });
const { api, tenant } = scene;
await tenant.ok('/v2/workspace/notificationconfig/update', {
  notificationServiceConfig: { triggers: { comment: { 'comment.update': true } } },
});

let annotationId: string;

beforeEach(async () => {
  annotationId = freshId('annotation');
  const commentData = ['ada', 'ben', 'ada'].map((userId, n) => ({
    from: { userId },
    commentText: `Text ${String(n)}`,
    createdAt: n + 1,
    lastUpdated: n + 1,
  }));
  await tenant.ok('/v2/commentannotations/add', {
    ...scene.document,
    commentAnnotations: [{ annotationId, createdAt: 1, lastUpdated: 1, commentData }],
  });
});

const both = { triggerNotification: true, triggerActivities: true };

const path = '/v2/commentannotations/comments/update';

const requestOf = (updatedData: object, more: object = {}) => ({
  ...scene.document,
  annotationId,
  updatedData,
  ...more,
});

const update = async (updatedData: object, more: object = {}) =>
  tenant.ok(path, requestOf(updatedData, more));

const refused = async (updatedData: object, more: object = {}) =>
  tenant.refused(path, requestOf(updatedData, more));

interface Comment {
  readonly commentId: number;
  readonly lastUpdated: number;
  readonly [member: string]: unknown;
}

interface Annotation {
  readonly comments: readonly Comment[];
  readonly lastUpdated: number;
  readonly involvedUserIds: readonly string[];
  readonly mentionedUserIds: readonly string[];
}

const get = async (): Promise<Annotation> => {
  const { data } = await tenant.ok<(Annotation | null)[]>('/v2/commentannotations/get', {
    ...scene.document,
    annotationIds: [annotationId],
  });
  const [found] = data;
  if (!found) throw new Error('missing annotation');
  return found;
};

const commentOf = async (id: number) => (await get()).comments.find(({ commentId }) => commentId === id);

const bytes = async () =>
  (
    await api.database.sql<{ stored: number; counted: number }>(
      `select t.content_bytes as stored, (select sum(octet_length(body::text)) from comment where thread_id = t.id)::int as counted
       from thread t where t.api_key_id = $1 and t.ext_id = $2`,
      [tenant.id, annotationId],
    )
  )[0];

const events = async () =>
  api.database.sql<{ type: string; payload: Record<string, unknown> }>(
    `select type, payload from event where api_key_id = $1 and payload ->> 'commentAnnotationId' = $2 order by id`,
    [tenant.id, annotationId],
  );

describe('updating comments', () => {
  it('replaces each member whole, and returns an outcome for each id', async () => {
    const updatedData = {
      commentText: 'Ask {{cid}}',
      commentHtml: '<b>Ask</b>',
      from: { userId: 'dan', name: 'Dan' },
      taggedUserContacts: [{ userId: 'cid', contact: { userId: 'cid', name: 'Cid' } }],
      attachments: [{ attachmentId: 1 }],
      context: { team: 'blue' },
      progress: { state: 'active' },
      actions: [{ id: 'go' }],
      isCommentResolverUsed: true,
      isCommentTextAvailable: false,
      createdAt: 9,
    };
    const before = Date.now();
    const result = await update(updatedData, { commentIds: [2, 77] });
    expect(result).toMatchObject({
      message: 'Comment updated successfully.',
      data: {
        2: { success: true, id: 2, message: 'Updated successfully' },
        77: { success: false, id: 77, message: 'Not found', code: 'not-found' },
      },
    });
    const changed = await commentOf(2);
    expect(changed).toMatchObject({ ...updatedData, status: 'updated', isEdited: true });
    expect(changed?.lastUpdated).toBeGreaterThanOrEqual(before);
    expect(changed?.['editedAt']).toBe(changed?.lastUpdated);
    const thread = await get();
    expect(thread).toMatchObject({ involvedUserIds: ['ada', 'cid', 'dan'], mentionedUserIds: ['cid'] });
    expect(thread.lastUpdated).toBe(changed?.lastUpdated);
    expect(await commentOf(1)).toMatchObject({ commentText: 'Text 0', isEdited: false, lastUpdated: 1 });
    const { stored, counted } = (await bytes()) ?? {};
    expect(stored).toBe(counted);
  });

  it('removes tags and attachments by empty lists, and their roles', async () => {
    await update(
      { taggedUserContacts: [{ userId: 'cid' }], attachments: [{ attachmentId: 1 }] },
      { commentIds: [1] },
    );
    await update({ taggedUserContacts: [], attachments: [] }, { commentIds: [1] });
    expect(await commentOf(1)).toMatchObject({ to: [], attachments: [] });
    expect(await get()).toMatchObject({ involvedUserIds: ['ada', 'ben'], mentionedUserIds: [] });
  });

  it.each([
    ['taggedUserContacts', 100, { userId: 'cid' }],
    ['attachments', 50, { attachmentId: 1 }],
    ['actions', 20, { id: 'go' }],
  ])('refuses more %s than %i, naming their number', async (member, max, item) => {
    const { message } = await refused({ [member]: Array.from({ length: max + 1 }, () => item) });
    const expected = `must hold at most ${String(max)} items, not ${String(max + 1)}.`;
    expect(message).toBe(`updatedData.${member} ${expected}`);
  });

  it('updates the comments of authors, and all without a condition', async () => {
    expect(Object.keys((await update({ context: { a: 1 } }, { userIds: ['ben'] })).data as object)).toEqual([
      '2',
    ]);
    expect(Object.keys((await update({ context: { a: 2 } })).data as object)).toEqual(['1', '2', '3']);
    expect((await update({ context: { a: 2 } }, { userIds: ['ben'], commentIds: [1] })).data).toMatchObject({
      1: { success: false },
    });
    expect((await get()).comments.every(({ isEdited }) => isEdited === false)).toBe(true);
  });

  it.each([
    ['equal members', { context: { a: 1, b: 2 } }],
    ['another order of keys', { context: { b: 2, a: 1 } }],
    ['a smaller lastUpdated', { lastUpdated: 5 }],
    ['an empty list where there is none', { attachments: [] }],
  ])('changes and emits nothing for %s', async (_, updatedData) => {
    await update({ context: { a: 1, b: 2 } });
    const before = await get();
    expect((await update(updatedData, both)).data).toMatchObject({ 1: { success: true } });
    expect(await get()).toEqual(before);
    expect(await events()).toEqual([]);
  });

  it('accepts a greater lastUpdated', async () => {
    const ahead = Date.now() + 3_600_000;
    await update({ lastUpdated: ahead }, { commentIds: [1] });
    await update({ commentText: 'Later' }, { commentIds: [1] });
    expect((await commentOf(1))?.lastUpdated).toBe(ahead);
    expect((await get()).lastUpdated).toBe(ahead);
  });

  it('leaves the annotation’s lastUpdated at now for a createdAt that is ahead', async () => {
    const ahead = Date.now() + 3_600_000;
    await update({ createdAt: ahead }, { commentIds: [1] });
    expect((await commentOf(1))?.lastUpdated).toBe(ahead);
    expect((await get()).lastUpdated).toBeLessThan(ahead);
  });

  it('refuses an empty update, unknown members, an unknown annotation and a thread beyond 8 MiB', async () => {
    expect((await refused({})).status).toBe('INVALID_ARGUMENT');
    expect((await refused({ surprise: 1 })).status).toBe('INVALID_ARGUMENT');
    expect((await refused({ context: {} }, { annotationId: 'nothing' })).message).toBe(
      'Annotation not found.',
    );
    const commentData = Array.from({ length: 60 }, () => ({ from: { userId: 'ada' } }));
    await tenant.ok('/v2/commentannotations/comments/add', { ...scene.document, annotationId, commentData });
    expect((await refused({ commentHtml: '<'.repeat(200_000) })).message).toBe(
      'An annotation may hold 8 MiB of comments and reactions.',
    );
    const { stored, counted } = (await bytes()) ?? {};
    expect(stored).toBe(counted);
  });

  it('emits each changed comment, and names newly tagged users', async () => {
    const tagged = (...userIds: string[]) => ({ taggedUserContacts: userIds.map((userId) => ({ userId })) });
    await update(tagged('cid'), { commentIds: [1] });
    await update({ ...tagged('cid', 'eve'), commentText: 'Ask' }, { commentIds: [1, 2], ...both });
    expect(await events()).toMatchObject(
      ['ada', 'ben'].map((userId, n) => ({
        type: 'comment.update',
        payload: {
          actionUser: { userId },
          targetComment: { commentId: n + 1, commentText: 'Ask', isEdited: true },
        },
      })),
    );
    const { data } = await tenant.ok<object[]>('/v2/notifications/get', scene.document);
    expect(data).toHaveLength(2);
    expect(data[0]).toMatchObject({ notifyUsersByUserId: { cid: true, eve: true } });
  });

  it('uses as many statements for 1 comment as for 300', async () => {
    const commentData = Array.from({ length: 300 }, () => ({ from: { userId: 'ada' } }));
    await tenant.ok('/v2/commentannotations/comments/add', { ...scene.document, annotationId, commentData });
    let round = 0;
    const sent = async (more: object) =>
      (await statementsOf(async () => update({ context: { round: (round += 1) } }, { ...both, ...more })))
        .length;
    await sent({ commentIds: [1] });
    expect(await sent({})).toBe(await sent({ commentIds: [1] }));
  });

  it.each(['attachments', 'actions', 'steps'])(
    'uses as many statements for 1 as for 20 of %s',
    async (list) => {
      const items = {
        attachments: { attachmentId: 1 },
        actions: { id: 'go' },
        steps: { label: 'Read' },
      };
      const sent = async (count: number) => {
        const value = Array.from({ length: count }, () => items[list as keyof typeof items]);
        const updatedData =
          list === 'steps' ? { progress: { state: 'active', steps: value } } : { [list]: value };
        return (await statementsOf(async () => update(updatedData))).length;
      };
      await sent(2);
      expect(await sent(20)).toBe(await sent(1));
    },
  );
});
