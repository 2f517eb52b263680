import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { removeRemainingThreads, type RemainingThreads } from '../../../domain/comments/removal-job.ts';
import { inTransaction } from '../../../platform/database/orm.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';
import {
  aDocument,
  aFolder,
  aTenant,
  freshId,
  type TestDocument,
  type TestTenant,
} from '../../support/factories.ts';

let api: TestApi;
let tenant: TestTenant;
let place: TestDocument;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aTenant(api);
});
afterAll(() => api.close());
beforeEach(async () => {
  place = await aDocument(tenant);
});

interface Annotation {
  readonly annotationId: string;
  readonly lastUpdated: number;
  readonly comments: readonly { readonly commentId: number }[];
  readonly [member: string]: unknown;
}

const ada = { userId: 'ada', name: 'Ada', team: 'Research' };

const add = async (commentAnnotations: readonly object[], more: object = {}) =>
  (
    await tenant.ok<Record<string, Record<string, unknown>>>('/v2/commentannotations/add', {
      ...place,
      commentAnnotations,
      ...more,
    })
  ).data;

const get = async (more: object = {}, path = '/v2/commentannotations/get') =>
  tenant.ok<(Annotation | null)[]>(path, { organizationId: place.organizationId, ...more });

const listed = async (more: object = {}) =>
  (await get(more)).data.map((annotation) => annotation?.annotationId);

const comment = (members: object = {}): object => ({ from: ada, commentText: 'Really?', ...members });
const annotation = (members: object = {}): object => ({ commentData: [comment()], ...members });
const refused = async (item: object, more: object = {}) =>
  tenant.refused('/v2/commentannotations/add', { ...place, commentAnnotations: [item], ...more });

describe('adding annotations', () => {
  it('returns the outcome of each by its id, and stores every member sent', async () => {
    const sent = {
      annotationId: 'first',
      location: { id: 7, locationName: 'Chart', page: 3 },
      targetElement: { xpath: '/a' },
      status: { id: 'DONE', name: 'Done', type: 'terminal' },
      priority: { id: 'P1', name: 'High' },
      assignedTo: { userId: 'ben', name: 'Ben' },
      context: { access: { team: 'x' } },
      pageInfo: { url: 'https://example.com' },
      actions: [{ id: 'go', label: 'Go', metadata: { a: 1 } }],
      positionX: 1.5,
      isPageAnnotation: true,
      createdAt: 1_000,
      lastUpdated: 2_000,
    };
    const tagged = { userId: 'cleo', text: '@Cleo', contact: { userId: 'cleo', name: 'Cleo' } };
    const commentData = [
      comment({
        commentText: 'See {{cleo}}',
        taggedUserContacts: [tagged],
        createdAt: 1_500,
        lastUpdated: 1_600,
      }),
      comment({ commentId: 40, attachments: [{ attachmentId: 3, name: 'a.png' }], commentText: '' }),
      comment({ commentHtml: '<p>', from: { userId: 'ben' } }),
    ];
    expect(await add([{ ...sent, commentData }])).toEqual({
      first: {
        success: true,
        id: 'first',
        annotationId: 'first',
        commentIds: [41, 40, 42],
        index: 0,
        message: 'Added Successfully',
      },
    });
    const { data } = await get({ documentId: place.documentId });
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({
      ...sent,
      type: 'comment',
      commentType: 'manual',
      from: ada,
      locationId: '7',
      visibilityConfig: { type: 'public' },
      sourceType: 'rest-api',
      resolvedByUserId: null,
      resolvedByUser: null,
      statusUpdatedByUserId: null,
      involvedUserIds: ['ada', 'ben', 'cleo'],
      mentionedUserIds: ['cleo'],
      commentsCount: 3,
      metadata: { apiKey: tenant.apiKey, ...place },
    });
    expect(data[0]?.comments).toMatchObject([
      {
        commentId: 41,
        type: 'text',
        status: 'added',
        isDraft: false,
        isEdited: false,
        editedAt: null,
        to: [tagged.contact],
        attachments: [],
        reactionAnnotationIds: [],
        reactionAnnotations: [],
        isCommentTextAvailable: true,
        createdAt: 1_500,
        lastUpdated: 1_600,
      },
      { commentId: 40, attachments: [{ attachmentId: 3, name: 'a.png' }], isCommentTextAvailable: false },
      { commentId: 42, commentHtml: '<p>', from: { userId: 'ben' } },
    ]);
  });

  it('returns the same for a repeated item and changes nothing, and refuses another item with an existing id', async () => {
    const item = { annotationId: 'a', commentData: [comment(), comment()] };
    const first = await add([item]);
    const { data: before } = await get();
    expect(await add([item])).toEqual(first);
    expect(await add([{ ...item, priority: { id: 'p', name: 'P' } }])).toMatchObject({
      a: { success: false, code: 'already-exists', message: 'Annotation already exists.', index: 0 },
    });
    expect((await get()).data).toEqual(before);
    const { organizationId } = place;
    const other = await aDocument(tenant, { organizationId });
    expect(await add([item], other)).toMatchObject({ a: { success: true } });
    expect(await listed({ annotationIds: ['a'] })).toHaveLength(2);
  });

  it('keeps agents with their type and finding, and the proposal of suggestions only', async () => {
    const agent = {
      agentSource: 'external',
      agentId: 'bot',
      agentName: 'Bot',
      reason: { findingId: 'f1' },
      extra: 1,
    };
    const suggestion = { targetId: 't', oldValue: 1, newValue: { a: [2] }, status: 'accepted' };
    const added = await add([
      { annotationId: 's', type: 'suggestion', suggestion, commentData: [comment({ agent })] },
      { annotationId: 'c', suggestion, commentData: [comment()] },
    ]);
    expect(added).toMatchObject({ s: { findingId: 'f1', index: 0 }, c: { index: 1 } });
    const { data } = await get({ documentId: place.documentId, annotationIds: ['s', 'c'] });
    expect(data[0]).toMatchObject({
      type: 'suggestion',
      suggestion: { ...suggestion, status: 'pending' },
      agent: { ...agent, agentType: 'external' },
      sourceType: 'agent',
    });
    expect(data[1]).not.toHaveProperty('suggestion');
    for (const filter of [
      { agentId: 'bot' },
      { agentType: 'external' },
      { agentSource: 'external' },
      { agentSuggestions: true },
      { agentComments: true, agentId: undefined },
    ])
      expect(await listed({ ...filter, documentId: place.documentId })).toEqual(['s']);
    const two = await tenant.refused('/v2/commentannotations/get', {
      ...place,
      agentId: 'b',
      agentType: 'custom',
    });
    expect(two).toMatchObject({ status: 'INVALID_ARGUMENT', message: 'Only one agent filter may be sent.' });
  });

  it('refuses what is malformed, by member and rule', async () => {
    const message = async (item: object) => {
      const { status, message: text } = await refused(item);
      expect(status).toBe('INVALID_ARGUMENT');
      return text;
    };
    expect(await message({})).toBe('commentAnnotations[0].commentData is required.');
    expect(await message({ commentData: [comment()], comments: [comment()] })).toContain(
      'exclude each other.',
    );
    expect(await message({ commentData: [comment({ commentId: 1 }), comment({ commentId: 1 })] })).toBe(
      'commentAnnotations[0].commentData must hold each commentId once.',
    );
    expect(await message(annotation({ visibility: { type: 'restricted' } }))).toBe(
      'commentAnnotations[0].visibility.userIds is required.',
    );
    expect(await message(annotation({ location: { id: 'a', text: 'x'.repeat(16_384) } }))).toBe(
      'commentAnnotations[0].location must be at most 16 KiB.',
    );
    expect(await message(annotation({ createdAt: Date.now() + 90_000_000 }))).toBe(
      'commentAnnotations[0].createdAt must be at most one day ahead.',
    );
    const agent = { agentSource: 'external', agentId: 'bot' };
    expect(await message({ commentData: [comment({ agent })] })).toBe(
      'commentAnnotations[0].commentData[0].agent.agentName is required.',
    );
    expect(
      await message({ commentData: Array.from({ length: 501 }, () => comment()), unknown: 1 }),
    ).toContain('unknown');
    const many = Array.from({ length: 2 }, () => ({
      commentData: Array.from({ length: 501 }, () => comment()),
    }));
    const { message: text } = await tenant.refused('/v2/commentannotations/add', {
      ...place,
      commentAnnotations: many,
    });
    expect(text).toBe('commentAnnotations must hold at most 1000 comments, not 1002.');
  });

  it('refuses another visibility than public until private comments are enabled', async () => {
    const item = annotation({
      annotationId: 'p',
      visibility: { type: 'restricted', userIds: ['ada', 'nobody'] },
    });
    expect(await refused(item)).toMatchObject({
      status: 'FAILED_PRECONDITION',
      message: 'Private comments are not enabled. Enable them with POST /v2/workspace/apikeyconfig/update.',
    });
    await tenant.ok('/v2/workspace/apikeyconfig/update', { enablePrivateComments: true });
    const own = annotation({ annotationId: 'o', visibility: { type: 'organizationPrivate' } });
    await add([item, own]);
    await tenant.ok('/v2/workspace/apikeyconfig/update', { enablePrivateComments: false });
    const { data } = await get({ documentId: place.documentId, annotationIds: ['p', 'o'] });
    expect(data.map((one) => one?.['visibilityConfig'])).toEqual([
      { type: 'restricted', userIds: ['ada', 'nobody'] },
      { type: 'organizationPrivate', organizationIds: [place.organizationId] },
    ]);
  });

  it('refuses annotations of users without access only when asked to verify it', async () => {
    const { organizationId, documentId } = place;
    await tenant.ok('/v2/organizations/documents/access/update', {
      organizationId,
      documentIds: [documentId],
      accessType: 'restricted',
    });
    await tenant.ok('/v2/users/add', { organizationId, documentId, users: [{ userId: 'member' }] });
    const items = [
      annotation({ annotationId: 'no' }),
      { annotationId: 'yes', commentData: [comment({ from: { userId: 'member' } })] },
    ];
    expect(await add(items, { verifyUserPermissions: true })).toMatchObject({
      no: { success: false, code: 'permission-denied', message: 'User does not have access to document' },
      yes: { success: true, index: 1 },
    });
    expect(await add([annotation({ annotationId: 'no' })])).toMatchObject({ no: { success: true } });
  });

  it('adds an id once when several calls send it at the same time', async () => {
    const items = (text: string) =>
      ['x', 'y', 'z'].map((annotationId) => ({
        annotationId,
        commentData: [comment({ commentText: text })],
      }));
    const calls = await Promise.all(
      Array.from({ length: 12 }, async (_, at) =>
        add(at % 2 === 0 ? items(String(at)) : items(String(at)).reverse()),
      ),
    );
    for (const id of ['x', 'y', 'z'])
      expect(calls.filter((call) => call[id]?.['success'] === true)).toHaveLength(1);
    expect(await listed({ documentId: place.documentId })).toHaveLength(3);
  });
});

describe('getting annotations', () => {
  it('returns them by id in request order, with null for an unknown id and for one that does not match', async () => {
    await add(
      ['a', 'b', 'c'].map((annotationId) => annotation({ annotationId, location: { id: annotationId } })),
    );
    const of = { documentId: place.documentId, annotationIds: ['c', 'no', 'a'] };
    expect(await listed(of)).toEqual(['c', undefined, 'a']);
    expect(await listed({ ...of, locationIds: ['a'] })).toEqual([undefined, undefined, 'a']);
    const refusal = await tenant.refused('/v2/commentannotations/get', { ...place, ...of, pageSize: 1 });
    expect(refusal).toMatchObject({ status: 'INVALID_ARGUMENT' });
    expect(await listed({ annotationIds: ['c', 'no', 'a'], order: 'asc' })).toEqual(['a', 'c']);
  });

  it('pages through documents, folders, users and the organization in both orders', async () => {
    const { organizationId } = place;
    const { folderId } = await aFolder(tenant, { organizationId });
    const inFolder = await aDocument(tenant, { organizationId, folderId });
    const at = 1_000_000;
    for (let n = 0; n < 10; n += 1) {
      const from = { userId: n % 2 === 0 ? 'even' : 'odd' };
      const times = { createdAt: at + n, lastUpdated: at + n };
      await add(
        [{ annotationId: `a${String(n)}`, ...times, commentData: [comment({ from })] }],
        n < 5 ? place : inFolder,
      );
    }
    const all = Array.from({ length: 10 }, (_, n) => `a${String(n)}`);
    const paged = async (filter: object): Promise<(string | undefined)[]> => {
      const found: (string | undefined)[] = [];
      let pageToken: string | undefined;
      do {
        const page = await get({ ...filter, pageSize: 3, pageToken });
        found.push(...page.data.map((one) => one?.annotationId));
        pageToken = (page as { nextPageToken?: string }).nextPageToken;
      } while (pageToken !== undefined);
      return found;
    };
    const odd = all.filter((_, n) => n % 2 === 1);
    for (const [filter, expected] of [
      [{}, all],
      [{ documentId: place.documentId }, all.slice(0, 5)],
      [{ documentIds: [place.documentId, inFolder.documentId, 'unknown'] }, all],
      [{ folderId }, all.slice(5)],
      [{ folderId: 'root' }, all.slice(0, 5)],
      [{ userIds: ['odd'] }, odd],
      [{ userIds: ['odd', 'even'] }, all],
      [{ userIds: ['odd'], documentId: place.documentId }, odd.slice(0, 2)],
      [{ userIds: ['nobody'] }, []],
      [{ updatedAfter: at + 2, updatedBefore: at + 7 }, all.slice(3, 7)],
      [{ createdAfter: at + 2, createdBefore: at + 7 }, all.slice(3, 7)],
      [{ statusId: 'OPEN' }, all],
      [{ statusIds: ['other'] }, []],
    ] as const) {
      expect(await paged({ ...filter, order: 'asc' })).toEqual(expected);
      expect(await paged(filter)).toEqual(expected.toReversed());
    }
    const whole = await get({ order: 'asc' }, '/v1/commentannotations/get');
    expect(whole.data.map((one) => one?.annotationId)).toEqual(all);
    const grouped = await get({ groupByDocumentId: true, order: 'asc' }, '/v1/commentannotations/get');
    const groups = grouped.data as unknown as Record<string, Annotation[]>;
    expect(groups[inFolder.documentId]?.map((one) => one.annotationId)).toEqual(all.slice(5));
    expect(Object.keys(groups).sort()).toEqual([place.documentId, inFolder.documentId].sort());
    const [inner] = (await get({ documentId: inFolder.documentId, pageSize: 1 })).data;
    expect(inner?.['metadata']).toMatchObject({ folderId });
    expect(
      await tenant.refused('/v2/commentannotations/get', { organizationId, documentId: freshId('no') }),
    ).toMatchObject({
      status: 'NOT_FOUND',
    });
  });
});

describe('deleting annotations', () => {
  const remove = async (more: object = {}) =>
    tenant.ok<Record<string, object>>('/v2/commentannotations/delete', { ...place, ...more });

  it('deletes those that match every condition, and frees their ids', async () => {
    const agent = { agentSource: 'own', agentId: 'bot', url: 'https://example.com/a#top' };
    await add([
      annotation({ annotationId: 'a', location: { id: 'x' } }),
      { annotationId: 'b', commentData: [comment({ from: { userId: 'ben' } })] },
      { annotationId: 'c', type: 'suggestion', commentData: [comment({ agent })] },
      annotation({ annotationId: 'd', location: { id: 'x' } }),
    ]);
    const deleted = { success: true, message: 'Deleted Successfully' };
    const missing = { success: false, message: 'Annotation not found.', code: 'not-found' };
    expect((await remove({ annotationIds: ['a', 'b', 'no'], locationIds: ['x'] })).data).toEqual({
      a: { ...deleted, id: 'a' },
      b: { ...missing, id: 'b' },
      no: { ...missing, id: 'no' },
    });
    expect((await remove({ userIds: ['nobody'] })).data).toEqual({});
    expect((await remove({ userIds: ['ben'] })).data).toMatchObject({ b: deleted });
    const urls = { agentUrls: ['https://example.com/a#other'] };
    expect((await remove({ agentId: 'bot', agentSuggestions: true, ...urls })).data).toMatchObject({
      c: deleted,
    });
    expect(await listed({ documentId: place.documentId })).toEqual(['d']);
    expect(await add([annotation({ annotationId: 'a' })])).toMatchObject({ a: { success: true } });
    const all = await remove();
    expect(all).toMatchObject({ message: 'Annotations deleted successfully.', deletedCount: 2 });
    expect(all).not.toHaveProperty('jobId');
    for (const table of ['thread', 'thread_person', 'comment'])
      expect(
        await api.database.sql(
          `select 1 from ${table} t join organization o on o.id = t.org_id where o.ext_id = $1`,
          [place.organizationId],
        ),
      ).toEqual([]);
  });

  it('requires an actor for a trigger, and refuses conditions that widen', async () => {
    const path = '/v2/commentannotations/delete';
    expect(await tenant.refused(path, { ...place, triggerActivities: true })).toMatchObject({
      message: 'actionUser is required.',
    });
    expect(await tenant.refused(path, { ...place, agentSuggestions: false })).toMatchObject({
      status: 'INVALID_ARGUMENT',
    });
  });

  it('leaves annotations beyond 1,000 to a job, which keeps those added later', async () => {
    const batch = async (from: number, count: number) =>
      add(Array.from({ length: count }, (_, n) => annotation({ annotationId: `n${String(from + n)}` })));
    await batch(0, 700);
    await batch(700, 700);
    const result = await remove();
    expect(result).toMatchObject({ deletedCount: 1_000, jobId: expect.any(String) });
    await add([annotation({ annotationId: 'later' })]);
    const [job] = await api.database.sql<{ request: { records: { selection: RemainingThreads } } }>(
      'select request from job where public_id = $1',
      [(result as { jobId?: string }).jobId],
    );
    const selection = job?.request.records.selection;
    if (selection === undefined) throw new Error('missing job of the deletion');
    let removed = 0;
    do {
      removed = await inTransaction(api.orm, async (em) => removeRemainingThreads(em, tenant.id, selection));
    } while (removed > 0);
    expect(await listed({ documentId: place.documentId })).toEqual(['later']);
    expect(
      await api.database.sql(
        'select 1 from comment c where not exists (select from thread where id = c.thread_id)',
      ),
    ).toEqual([]);
  });
});

describe('read marks', () => {
  const counts = async (userId: string, more: object = {}) =>
    (
      await tenant.ok<Record<string, object>>('/v2/commentannotations/count/get', {
        organizationId: place.organizationId,
        userId,
        documentIds: [place.documentId, 'unknown'],
        ...more,
      })
    ).data;
  const mark = async (userId: string, more: object = {}) =>
    tenant.ok('/v2/commentannotations/viewed/set', { ...place, userId, ...more });

  it('count what changed after them by someone else, and never move back', async () => {
    const at = Date.now() - 10_000;
    const times = { createdAt: at, lastUpdated: at };
    await add([annotation({ annotationId: 'a', ...times }), annotation({ annotationId: 'b', ...times })]);
    const none = { total: 0, unread: 0 };
    const of = (total: number, unread: number) => ({ [place.documentId]: { total, unread }, unknown: none });
    expect(await counts('ada')).toEqual(of(2, 0));
    expect(await counts('reader')).toEqual(of(2, 2));
    await mark('reader', { annotationIds: ['a', 'unknown'], viewedAt: at });
    expect(await counts('reader')).toEqual(of(2, 1));
    await mark('reader', { annotationIds: ['a'], viewedAt: at - 5_000 });
    expect(await counts('reader')).toEqual(of(2, 1));
    expect(await mark('reader')).toMatchObject({
      message: 'Annotations marked as viewed.',
      data: { success: true },
    });
    expect(await counts('reader')).toEqual(of(2, 0));
    expect(await counts('reader', { statusIds: ['other'] })).toEqual(of(0, 0));
    const future = { ...place, userId: 'reader', viewedAt: Date.now() + 60_000 };
    expect(await tenant.refused('/v2/commentannotations/viewed/set', future)).toMatchObject({
      status: 'INVALID_ARGUMENT',
    });
  });

  it('count only annotations that the user may see', async () => {
    await tenant.ok('/v2/workspace/apikeyconfig/update', { enablePrivateComments: true });
    const { organizationId } = place;
    await tenant.ok('/v2/users/add', { organizationId, users: [{ userId: 'member' }] });
    await add([
      annotation({ annotationId: 'public' }),
      annotation({ annotationId: 'own', visibility: { type: 'organizationPrivate' } }),
      annotation({
        annotationId: 'foreign',
        visibility: { type: 'organizationPrivate', organizationId: 'elsewhere' },
      }),
      annotation({ annotationId: 'few', visibility: { type: 'restricted', userIds: ['few'] } }),
    ]);
    const totals: [string, number][] = [
      ['ada', 4],
      ['member', 2],
      ['few', 2],
      ['unknown', 1],
    ];
    for (const [userId, total] of totals)
      expect((await counts(userId))[place.documentId]).toMatchObject({ total });
    await tenant.ok('/v2/workspace/apikeyconfig/update', { enablePrivateComments: false });
  });
});
