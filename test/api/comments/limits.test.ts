import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { aDocument, aTenant, freshId, type TestDocument, type TestTenant } from '../../support/factories.ts';

let api: TestApi;
let tenant: TestTenant;
let location: TestDocument;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aTenant(api);
  await tenant.ok('/v2/workspace/apikeyconfig/update', { enablePrivateComments: true });
  location = await aDocument(tenant);
});
afterAll(() => api.close());

const dayMs = 86_400_000;
const from = { userId: 'ada' };
const text = (length: number): string => 'x'.repeat(length);
const many = <Item>(count: number, item: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => item(at));
const userIds = (count: number): string[] => many(count, (at) => (at === 0 ? 'ada' : `u${String(at)}`));

/** Returns an object whose JSON has this number of bytes. */
const sized = (bytes: number, base: object = {}): object => {
  const empty = JSON.stringify({ ...base, pad: '' }).length;
  return { ...base, pad: text(bytes - empty) };
};
const kibibytes =
  (count: number, base: object = {}) =>
  (beyond: number): object =>
    sized(count * 1_024 + beyond, base);

/** Returns the value at a limit for 0, and the next value beyond it for 1. */
type Limit = (beyond: 0 | 1) => unknown;

const attachment = (attachmentId: number): object => ({ attachmentId });
const agent = { agentSource: 'own', agentId: 'bot' };

/** Members of an annotation at their limits. */
const ofAnnotations: readonly (readonly [member: string, limit: Limit, beside?: object])[] = [
  ['location', kibibytes(16, { id: 'a' })],
  ['targetElement', kibibytes(64)],
  ['context', kibibytes(16)],
  ['pageInfo', kibibytes(16)],
  ['suggestion', kibibytes(64), { type: 'suggestion' }],
  ['actions', (beyond) => many(20 + beyond, (at) => ({ id: String(at) }))],
  ['status', (beyond) => ({ id: 'a', name: 'A', type: 'default', svg: text(20_000 + beyond) })],
  ['visibility', (beyond) => ({ type: 'organizationPrivate', organizationIds: many(30 + beyond, String) })],
  ['visibility', (beyond) => ({ type: 'restricted', userIds: userIds(1_000 + beyond) })],
  ['createdAt', (beyond) => (beyond === 0 ? Date.now() + dayMs - 60_000 : Date.now() + dayMs + 600_000)],
  ['createdAt', (beyond) => -beyond],
  ['lastUpdated', (beyond) => (beyond === 0 ? Date.now() + dayMs - 60_000 : Date.now() + dayMs + 600_000)],
  ['commentData', (beyond) => many(1_000 + beyond, () => ({ from }))],
];

/** Members of a comment at their limits. */
const ofComments: typeof ofAnnotations = [
  ['commentId', (beyond) => 2 ** 52 + beyond],
  ['commentId', (beyond) => (beyond === 0 ? 2 : 0)],
  ['commentText', (beyond) => text(50_000 + beyond)],
  ['commentHtml', (beyond) => text(200_000 + beyond)],
  ['taggedUserContacts', (beyond) => userIds(100 + beyond).map((userId) => ({ userId }))],
  ['attachments', (beyond) => many(50 + beyond, attachment)],
  ['attachments', (beyond) => [{ attachmentId: 1, thumbnail: text(100_000 + beyond) }]],
  ['context', kibibytes(16)],
  ['agent', kibibytes(64, agent)],
  ['agent', (beyond) => ({ ...agent, agentSource: text(64 + beyond) })],
  ['progress', (beyond) => ({ state: 'active', steps: many(100 + beyond, () => ({ label: 'a' })) })],
  ['actions', (beyond) => many(20 + beyond, (at) => ({ id: String(at) }))],
];

const addPath = '/v2/commentannotations/add';
const commentsPath = '/v2/commentannotations/comments/add';

/** Expects one request to be accepted and the other to be refused for its content. */
async function expectLimit(path: string, request: (beyond: 0 | 1) => object): Promise<void> {
  const { status } = await tenant.refused(path, request(1));
  expect({ path, status }).toEqual({ path, status: 'INVALID_ARGUMENT' });
  const { failedCount } = await tenant.ok(path, request(0));
  // Elsewhere the ids are unknown.
  if (path.endsWith('/add')) expect(failedCount ?? 0).toBe(0);
}

const annotationsWith = (...commentAnnotations: readonly object[]): object => ({
  ...location,
  commentAnnotations: commentAnnotations.map((annotation) => ({ commentData: [{ from }], ...annotation })),
});

async function anAnnotation(annotationId = freshId('annotation')): Promise<string> {
  await tenant.ok(addPath, annotationsWith({ annotationId }));
  return annotationId;
}

describe('a limit of an annotation', () => {
  it.each(ofAnnotations)('is inclusive: %s', async (member, limit, beside = {}) => {
    await expectLimit(addPath, (beyond) => annotationsWith({ ...beside, [member]: limit(beyond) }));
  });

  it.each(ofComments)('is inclusive: %s of a comment', async (member, limit) => {
    const annotationId = await anAnnotation();
    await expectLimit(commentsPath, (beyond) => ({
      ...location,
      annotationId,
      commentData: [{ from, [member]: limit(beyond) }],
    }));
  });

  it('is inclusive for its size without comments, and for the size of a comment', async () => {
    const defaults = { annotationId: 'large', type: 'comment', commentType: 'manual' };
    const actions = (bytes: number, base: object) => {
      const empty = JSON.stringify({ ...base, actions: [{ id: 'a', metadata: { pad: '' } }] }).length;
      return { ...base, actions: [{ id: 'a', metadata: { pad: text(bytes - empty) } }] };
    };
    await expectLimit(addPath, (beyond) => annotationsWith(actions(262_144 + beyond, defaults)));
    const comment = {
      from,
      isCommentResolverUsed: false,
      triggerNotification: false,
      triggerActivities: false,
    };
    await expectLimit(commentsPath, (beyond) => ({
      ...location,
      annotationId: 'large',
      commentData: [actions(262_144 + beyond, comment)],
    }));
  });

  it('holds for the comments and users of a whole call', async () => {
    const comments = (count: number) => ({ commentData: many(count, () => ({ from })) });
    await expectLimit(addPath, (beyond) => annotationsWith(comments(500), comments(500 + beyond)));
    const restricted = (ids: readonly string[]) => ({ visibility: { type: 'restricted', userIds: ids } });
    await expectLimit(addPath, (beyond) =>
      annotationsWith(restricted(userIds(500)), restricted(many(500 + beyond, (at) => `other${String(at)}`))),
    );
  });
});

/** Lists and ids of the other operations at their limits. */
const lists: readonly (readonly [path: string, member: string, max: number, beside: object])[] = [
  ...['documentIds', 'locationIds', 'annotationIds', 'userIds', 'mentionedUserIds', 'statusIds'].map(
    (member) => ['get', member, 30, { documentId: undefined }] as const,
  ),
  ['count/get', 'documentIds', 30, { documentId: undefined, userId: 'ada' }],
  ['count/get', 'statusIds', 30, { documentId: undefined, documentIds: ['d'], userId: 'ada' }],
  ['update', 'locationIds', 30, { updatedData: { context: {} } }],
  ['update', 'userIds', 30, { updatedData: { context: {} } }],
  ['update', 'annotationIds', 1_000, { updatedData: { context: {} } }],
  ['delete', 'locationIds', 30, {}],
  ['delete', 'annotationIds', 1_000, {}],
  ['delete', 'userIds', 30, {}],
  ['delete', 'agentUrls', 30, {}],
  ['viewed/set', 'annotationIds', 1_000, { userId: 'ada' }],
];

/** Lists of the operations of one annotation. */
const listsOfComments: typeof lists = [
  ['get', 'userIds', 30, {}],
  ['update', 'userIds', 30, { updatedData: { context: {} } }],
  ['delete', 'userIds', 30, {}],
];

describe('a limit of a list', () => {
  it('counts annotations and replaced users with one id once', async () => {
    const own = await aDocument(tenant);
    const annotated = (at: number) => ({ annotationId: `twice-${String(at)}`, commentData: [{ from }] });
    const commentAnnotations = [...many(1_000, annotated), annotated(0)];
    const added = await tenant.ok('/v2/commentannotations/add', { ...own, commentAnnotations });
    expect(Object.keys(added.data as object)).toHaveLength(1_000);
    const replaced = (at: number) => ({ oldUser: { userId: `o${String(at)}` }, newUser: { userId: 'n' } });
    const updateUsers = [...many(100, replaced), replaced(0)];
    const { status } = await tenant.call('/v2/commentannotations/update', { ...own, updateUsers });
    expect(status).toBe(200);
  });

  it.each(lists)('is inclusive: commentannotations/%s %s', async (operation, member, max, beside) => {
    const unknown = (at: number) => `${member}-${String(at)}`;
    await expectLimit(`/v2/commentannotations/${operation}`, (beyond) => ({
      ...location,
      ...beside,
      [member]: many(max + beyond, unknown),
    }));
  });

  it.each(listsOfComments)('is inclusive: comments/%s %s', async (operation, member, max, beside) => {
    const annotationId = await anAnnotation();
    await expectLimit(`/v2/commentannotations/comments/${operation}`, (beyond) => ({
      ...location,
      ...beside,
      annotationId,
      [member]: many(max + beyond, String),
    }));
  });

  it('is inclusive for users to replace, commentIds, read marks and icons', async () => {
    const own = await aDocument(tenant);
    const annotationId = await anAnnotation();
    const replaced = (at: number) => ({
      oldUser: { userId: `o${String(at)}` },
      newUser: { userId: `n${String(at)}` },
    });
    await expectLimit('/v2/commentannotations/update', (beyond) => ({
      ...own,
      updateUsers: many(100 + beyond, replaced),
    }));
    for (const [operation, beside] of [
      ['get', {}],
      ['update', { updatedData: { context: {} } }],
    ] as const)
      await expectLimit(`/v2/commentannotations/comments/${operation}`, (beyond) => ({
        ...location,
        ...beside,
        annotationId,
        // A repeated id counts once.
        commentIds: [1, ...many(1_000 + beyond, (at) => at + 1)],
      }));
    await expectLimit('/v2/commentannotations/viewed/set', (beyond) => ({
      ...location,
      userId: 'ada',
      viewedAt: beyond === 0 ? Date.now() - 1_000 : Date.now() + 600_000,
    }));
    await expectLimit('/v2/commentannotations/comments/reactions/add', (beyond) => ({
      ...location,
      annotationId,
      commentId: 1,
      from,
      icon: text(100 + beyond),
    }));
  });

  it('holds for the users that the user of a reaction or a deletion names', async () => {
    const annotationId = await anAnnotation();
    const comment = { ...location, annotationId, commentId: 1, icon: 'named' };
    const naming = (beyond: number) => ({
      ...from,
      // Ids of two characters: all of them fit into 16 KiB.
      team: many(1_000 + beyond, (at) => ({ userId: at === 0 ? 'ada' : at.toString(36) })),
    });
    for (const [path, member, request] of [
      ['comments/reactions/add', 'from', comment],
      ['comments/reactions/delete', 'from', comment],
      ['comments/delete', 'actionUser', { ...location, annotationId, commentIds: [2] }],
      ['delete', 'actionUser', { ...location, annotationIds: [annotationId] }],
    ] as const)
      await expectLimit(`/v2/commentannotations/${path}`, (beyond) => ({
        ...request,
        [member]: naming(beyond),
      }));
  });

  it.each(['comments/delete', 'delete', 'update'])('is inclusive: actionUser of %s', async (operation) => {
    const annotationId = await anAnnotation();
    const selected = operation.startsWith('comments/') ? { annotationId } : { annotationIds: [annotationId] };
    const changed = operation === 'update' ? { updatedData: { context: {} } } : {};
    const actor = kibibytes(16, from);
    await expectLimit(`/v2/commentannotations/${operation}`, (beyond) => ({
      ...location,
      ...selected,
      ...changed,
      actionUser: actor(beyond),
    }));
  });

  it('holds for the comments and reactions below annotations whose users are replaced', async () => {
    const annotationId = await anAnnotation();
    const updateUsers = [{ oldUser: from, newUser: { userId: 'ben' } }];
    const request = { ...location, annotationIds: [annotationId], updateUsers };
    const counting = async (reactions: number) =>
      api.database.sql('update thread set reaction_count = $1 where api_key_id = $2 and ext_id = $3', [
        reactions,
        tenant.id,
        annotationId,
      ]);
    await counting(10_000);
    expect(await tenant.refused('/v2/commentannotations/update', request)).toMatchObject({
      status: 'FAILED_PRECONDITION',
      message: 'The annotations hold more than 10000 comments and reactions.',
    });
    await counting(9_999);
    await tenant.ok('/v2/commentannotations/update', request);
  });
});

describe('a limit of a recording', () => {
  const limits: readonly (readonly [member: string, limit: Limit])[] = [
    ['attachments', (beyond) => many(50 + beyond, attachment)],
    ['latestVersion', (beyond) => (beyond === 0 ? 1 : 'first')],
    ['mode', (beyond) => (beyond === 0 ? 'thread' : 'other')],
  ];

  it.each(limits)('is inclusive: %s', async (member, limit) => {
    await expectLimit('/v2/recordings/add', (beyond) => ({
      ...location,
      recordings: [{ from, recordingType: 'audio', [member]: limit(beyond) }],
    }));
  });

  it('is inclusive for its size', async () => {
    const base = { annotationId: 'r', from, recordingType: 'audio', mode: 'floating', latestVersion: 1 };
    await expectLimit('/v2/recordings/add', (beyond) => ({
      ...location,
      recordings: [sized(262_144 + beyond, base)],
    }));
  });
});
