import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { countPersonalData } from '../../../domain/deletion/process-stores.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { aDocument, aTenant, type TestDocument, type TestTenant } from '../../support/factories.ts';
import { rowsOf } from '../../support/rows.ts';
import { statementsOf } from '../../support/statements.ts';
import { begunDeletion, carriedOut, whole } from './carry-out.ts';
import { aPerson } from './furnish.ts';

let api: TestApi;
let tenant: TestTenant;
let location: TestDocument;

beforeAll(async () => {
  api = await startTestApi();
});
beforeEach(async () => {
  tenant = await aTenant(api);
  location = await aDocument(tenant);
  await tenant.ok('/v2/workspace/apikeyconfig/update', { enablePrivateComments: true });
});
afterAll(() => api.close());

const ada = aPerson('ADA-the-person');
const grace = aPerson('GRACE-who-stays');

interface Annotation {
  readonly annotationId: string;
  readonly commentsCount: number;
  readonly comments: readonly Readonly<Record<string, unknown>>[];
  readonly [member: string]: unknown;
}

const get = async (): Promise<Annotation[]> =>
  (await tenant.ok<Annotation[]>('/v2/commentannotations/get', { ...location, order: 'asc' })).data;

const tagging = ({ userId, name }: typeof ada): object => ({
  commentText: `{{${userId}}} please`,
  taggedUserContacts: [{ userId, text: `@${name}`, contact: { userId, name } }],
});

/** Threads of one person, of both, and of others who name the person in every member. */
async function threads(): Promise<void> {
  const times = [1, 2, 3, 4].map((at) => ({ createdAt: at, lastUpdated: at }));
  const commentAnnotations = [
    { annotationId: 'alone', ...times[0], commentData: [{ from: ada }, { from: ada, ...tagging(grace) }] },
    { annotationId: 'both', ...times[1], commentData: [{ from: ada }, { from: grace, commentText: 'No.' }] },
    {
      annotationId: 'naming',
      ...times[2],
      assignedTo: ada,
      context: { owner: ada, byId: { [ada.userId]: 1, kept: 2 } },
      visibility: { type: 'restricted', userIds: [ada.userId, grace.userId] },
      commentData: [
        {
          from: grace,
          ...tagging(ada),
          context: { seenBy: { [ada.email]: true } },
          progress: { state: 'active', visibleToUserIds: [ada.userId] },
        },
      ],
    },
    { annotationId: 'none', ...times[3], commentData: [{ from: grace }] },
  ];
  await tenant.ok('/v2/commentannotations/add', { ...location, commentAnnotations });
  const [comment] = await api.database.sql<{ id: string }>(
    `select c.id from comment c join thread t on t.id = c.thread_id where t.ext_id = 'none' and t.api_key_id = $1`,
    [tenant.id],
  );
  await api.database.sql(
    `with r as (insert into reaction (comment_id, icon, user_id, api_key_id, org_id, at, body)
       select $1, i.icon, u.id, u.api_key_id, t.org_id, 1, '{"from":{"userId":"x"}}'
       from app_user u, thread t, (values ('+1'), ('-1')) i (icon)
       where u.ext_id = $2 and u.api_key_id = $3 and t.ext_id = 'none' and t.api_key_id = $3 returning body)
     update thread set reaction_count = (select count(*) from r), content_bytes = content_bytes
       + (select sum(octet_length(body::text)) from r) where ext_id = 'none' and api_key_id = $3`,
    [comment?.id, ada.userId, tenant.id],
  );
}

/** The counters of every thread as stored, and as computed from its rows. */
const counters = async (): Promise<object[]> =>
  api.database.sql(
    `select t.ext_id, t.comment_count = n.comments and t.reaction_count = n.reactions and t.content_bytes = n.bytes as exact
     from thread t cross join lateral (
       select count(*)::int as comments, coalesce(sum(r.reactions), 0)::int as reactions,
         coalesce(sum(octet_length(c.body::text) + r.bytes), 0)::int as bytes
       from comment c cross join lateral (
         select count(*) as reactions, coalesce(sum(octet_length(body::text)), 0) as bytes from reaction where comment_id = c.id) r
       where c.thread_id = t.id) n
     where t.api_key_id = $1 order by t.ext_id`,
    [tenant.id],
  );

const countsOf = async (jobId: string): Promise<Record<string, number>> =>
  (
    await api.database.sql<{ counts: Record<string, number> }>(
      'select counts from user_data_deletion where job_id = $1',
      [jobId],
    )
  )[0]?.counts ?? {};

describe('deleting a user who comments', () => {
  it('removes comments and reactions, threads without comments of others, and every mention, and keeps all other data', async () => {
    await threads();
    const before = await get();
    const run = await begunDeletion(api, tenant, { userIds: [ada.userId], dryRun: true });
    await whole(countPersonalData(api.orm, run));
    expect(await countsOf(run.jobId)).toMatchObject({ commentAnnotations: 2, comments: 3, reactions: 2 });
    const deletion = await begunDeletion(api, tenant, { userIds: [ada.userId] });
    expect(await carriedOut(api, deletion)).toEqual([]);
    expect(await countsOf(deletion.jobId)).toMatchObject({
      commentAnnotations: 2,
      comments: 3,
      reactions: 2,
      mentions: 1,
      user: 1,
    });
    const { user_deletion: _, user_data_deletion: __, ...kept } = await rowsOf(api.database, tenant.id);
    const rows = Object.values(kept).flat();
    for (const text of [ada.userId, ada.email, ada.name])
      expect(rows.filter((row) => row.includes(text))).toEqual([]);
    const left = new Map((await get()).map((annotation) => [annotation.annotationId, annotation]));
    expect([...left.keys()].sort()).toEqual(['both', 'naming', 'none']);
    expect(left.get('both')).toMatchObject({
      from: null,
      commentsCount: 1,
      comments: [{ commentText: 'No.' }],
    });
    expect(left.get('both')?.['involvedUserIds']).toEqual([grace.userId]);
    expect(left.get('naming')).toMatchObject({
      assignedTo: null,
      context: { byId: { kept: 2 } },
      visibilityConfig: { type: 'restricted', userIds: [grace.userId] },
      mentionedUserIds: [],
      comments: [{ commentText: '{{deleted}} please', to: [], context: { seenBy: {} } }],
    });
    const untouched = before.find(({ annotationId }) => annotationId === 'none');
    expect(left.get('none')).toMatchObject({ from: untouched?.['from'], commentsCount: 1 });
    expect(await counters()).toEqual(['both', 'naming', 'none'].map((ext_id) => ({ ext_id, exact: true })));
  });

  it('removes the user from reactions of others, and as the last user who reacted', async () => {
    await threads();
    const react = async (verb: 'add' | 'delete', icon: string, from: object) =>
      tenant.ok(`/v2/commentannotations/comments/reactions/${verb}`, {
        ...location,
        annotationId: 'none',
        commentId: 1,
        icon,
        from,
      });
    const { userId } = grace;
    await react('add', 'by object', { userId, manager: { userId: ada.userId }, kept: 1 });
    await react('add', 'by key', { userId, votes: { [ada.userId]: 1, [ada.email]: 2, kept: 3 } });
    await react('add', 'gone', { userId: ada.userId });
    await react('delete', 'gone', { userId: ada.userId });
    const deletion = await begunDeletion(api, tenant, { userIds: [ada.userId] });
    expect(await carriedOut(api, deletion)).toEqual([]);
    const { user_deletion: _, user_data_deletion: __, ...kept } = await rowsOf(api.database, tenant.id);
    const rows = Object.values(kept).flat();
    for (const text of [ada.userId, ada.email]) expect(rows.filter((row) => row.includes(text))).toEqual([]);
    const left = (await get()).find(({ annotationId }) => annotationId === 'none');
    expect(left?.comments[0]?.['reactionAnnotations']).toMatchObject([
      { icon: 'by object', fromUsers: [{ from: { userId, kept: 1 } }] },
      { icon: 'by key', fromUsers: [{ from: { userId, votes: { kept: 3 } } }] },
    ]);
    expect(
      await api.database.sql('select from thread where api_key_id = $1 and last_actor_id is null', [
        tenant.id,
      ]),
    ).not.toEqual([]);
  });

  it('removes the user from keys of a user who replaced the one who reacted', async () => {
    const commentAnnotations = [
      { annotationId: 'none', commentData: [{ from: grace }] },
      { annotationId: 'alone', commentData: [{ from: ada }] },
    ];
    await tenant.ok('/v2/commentannotations/add', { ...location, commentAnnotations });
    const of = { ...location, annotationId: 'none', commentId: 1, icon: 'new' };
    await tenant.ok('/v2/commentannotations/comments/reactions/add', { ...of, from: { userId: 'old' } });
    const newUser = { userId: grace.userId, votes: { [ada.userId]: 1, [ada.email]: 2, kept: 3 } };
    const updateUsers = [{ oldUser: { userId: 'old' }, newUser }];
    await tenant.ok('/v2/commentannotations/update', { ...location, annotationIds: ['none'], updateUsers });
    const deletion = await begunDeletion(api, tenant, { userIds: [ada.userId] });
    expect(await carriedOut(api, deletion)).toEqual([]);
    const left = (await get()).find(({ annotationId }) => annotationId === 'none');
    expect(left?.comments[0]?.['reactionAnnotations']).toMatchObject([
      { icon: 'new', fromUsers: [{ from: { userId: grace.userId, votes: { kept: 3 } } }] },
    ]);
    expect(JSON.stringify(left)).not.toContain(ada.userId);
  });

  it('clears the last actor who is named nowhere else', async () => {
    const { organizationId } = location;
    const [ben, cleo] = [aPerson('BEN-who-updates'), aPerson('CLEO-who-goes-first')];
    const commentAnnotations = [
      { annotationId: 'updated', commentData: [{ from: grace }] },
      { annotationId: 'open', commentData: [{ from: grace }] },
      { annotationId: 'moved', commentData: [{ from: grace }] },
      { annotationId: 'deleted', commentData: [{ from: grace }, { from: grace }] },
      { annotationId: 'own', commentData: [{ from: grace }, { from: ada }] },
      { annotationId: 'reacted', commentData: [{ from: grace }, { from: cleo }] },
    ];
    await tenant.ok('/v2/commentannotations/add', { ...location, commentAnnotations });
    const update = async (annotationId: string, request: object) =>
      tenant.ok('/v2/commentannotations/update', { ...location, annotationIds: [annotationId], ...request });
    const priority = { id: 'P1', name: 'High' };
    await update('updated', { updatedData: { priority }, actionUser: ada });
    await update('open', { updatedData: { priority, resolvedByUserId: ada.userId } });
    await update('moved', { updatedData: { priority }, actionUser: ada });
    await update('moved', { updateUsers: [{ oldUser: ada, newUser: ben }] });
    const second = { ...location, commentIds: [2] };
    const remove = '/v2/commentannotations/comments/delete';
    await tenant.ok(remove, { ...second, annotationId: 'deleted', actionUser: ada });
    await tenant.ok(remove, { ...second, annotationId: 'own' });
    await tenant.ok('/v2/commentannotations/comments/reactions/add', {
      ...location,
      annotationId: 'reacted',
      commentId: 2,
      icon: '+1',
      from: ada,
    });
    for (const { userId } of [cleo, ada]) {
      const deletion = await begunDeletion(api, tenant, {
        userIds: [userId],
        organizationIds: [organizationId],
      });
      expect(await carriedOut(api, deletion)).toEqual([]);
    }
    const count = { organizationId, documentIds: [location.documentId], userId: ada.userId };
    const counts = await tenant.ok<object>('/v2/commentannotations/count/get', count);
    expect(counts.data).toEqual({ [location.documentId]: { total: 6, unread: 6 } });
  });

  it('counts in a dry run the records that the deletion removes', async () => {
    await threads();
    const commentAnnotations = [
      { annotationId: 'self', commentData: [{ from: ada, ...tagging(ada) }] },
      { annotationId: 'replied', commentData: [{ from: ada }, { from: grace, ...tagging(ada) }] },
      {
        annotationId: 'keyed',
        commentData: [{ from: ada }, { from: grace, context: { seenBy: { [ada.email]: true } } }],
      },
      {
        annotationId: 'joined',
        context: { byId: { [ada.userId]: 1 } },
        commentData: [{ from: grace }, { from: ada }],
      },
    ];
    await tenant.ok('/v2/commentannotations/add', { ...location, commentAnnotations });
    const run = await begunDeletion(api, tenant, { userIds: [ada.userId], dryRun: true });
    await whole(countPersonalData(api.orm, run));
    const deletion = await begunDeletion(api, tenant, { userIds: [ada.userId] });
    expect(await carriedOut(api, deletion)).toEqual([]);
    const { user: _, ...removed } = await countsOf(deletion.jobId);
    expect(await countsOf(run.jobId)).toEqual(removed);
    expect(removed).toMatchObject({ comments: 7, commentAnnotations: 5, mentions: 3 });
  });

  it('keeps counters and roles exact when comments with reactions and tags are deleted', async () => {
    await threads();
    const commentAnnotations = [
      { annotationId: 'tags', commentData: [{ from: grace }, { from: ada, ...tagging(grace) }] },
    ];
    await tenant.ok('/v2/commentannotations/add', { ...location, commentAnnotations });
    for (const [annotationId, commentId] of [
      ['tags', 1],
      ['tags', 2],
      ['both', 1],
      ['alone', 1],
    ])
      await tenant.ok('/v2/commentannotations/comments/reactions/add', {
        ...location,
        annotationId,
        commentId,
        icon: '+1',
        from: grace,
      });
    const deletion = await begunDeletion(api, tenant, { userIds: [ada.userId] });
    expect(await carriedOut(api, deletion)).toEqual([]);
    expect(await counters()).toEqual(
      ['both', 'naming', 'none', 'tags'].map((ext_id) => ({ ext_id, exact: true })),
    );
    const tags = (await get()).find(({ annotationId }) => annotationId === 'tags');
    expect(tags).toMatchObject({ commentsCount: 1, mentionedUserIds: [], involvedUserIds: [grace.userId] });
    expect(await api.database.sql('select from reaction where api_key_id = $1', [tenant.id])).toHaveLength(1);
  });

  it('removes comments of several users at once, also from threads in which others wrote most', async () => {
    const ben = aPerson('BEN-who-goes-too');
    const few = Array.from({ length: 12 }, (_, at) => ({ from: at === 5 ? ada : grace, ...tagging(ben) }));
    const commentAnnotations = [
      { annotationId: 'few', commentData: few },
      {
        annotationId: 'shared',
        commentData: [{ from: ada }, { from: ben }, { from: ada, ...tagging(grace) }],
      },
      {
        annotationId: 'left',
        commentData: [{ from: ben }, { from: ada, ...tagging(grace) }, { from: grace }],
      },
    ];
    await tenant.ok('/v2/commentannotations/add', { ...location, commentAnnotations });
    const deletion = await begunDeletion(api, tenant, { userIds: [ada.userId, ben.userId] });
    expect(await carriedOut(api, deletion)).toEqual([]);
    expect(await countsOf(deletion.jobId)).toMatchObject({ comments: 6, commentAnnotations: 2 });
    expect(await counters()).toEqual(['few', 'left'].map((ext_id) => ({ ext_id, exact: true })));
    const left = new Map((await get()).map((annotation) => [annotation.annotationId, annotation]));
    for (const [annotationId, commentsCount] of [
      ['few', 11],
      ['left', 1],
    ] as const)
      expect(left.get(annotationId)).toMatchObject({
        commentsCount,
        involvedUserIds: [grace.userId],
        mentionedUserIds: [],
      });
  });

  it('removes comments that are spread over more threads than one batch locks', async () => {
    for (const [from, count] of [
      [0, 1_000],
      [1_000, 1],
    ] as const)
      await tenant.ok('/v2/commentannotations/add', {
        ...location,
        commentAnnotations: Array.from({ length: count }, (_, at) => ({
          annotationId: `spread-${String(from + at)}`,
          commentData: [{ from: ada, commentText: 'One.' }],
        })),
      });
    const deletion = await begunDeletion(api, tenant, { userIds: [ada.userId] });
    expect(await carriedOut(api, deletion)).toEqual([]);
    expect(await countsOf(deletion.jobId)).toMatchObject({ comments: 1_001, commentAnnotations: 1_001 });
    expect(await get()).toEqual([]);
  });

  it('exports what the user wrote, created and reacted to before the deletion', async () => {
    await threads();
    const { organizationId } = location;
    const { data } = await tenant.ok<Record<'comments' | 'reactions' | 'commentAnnotations', object[]>>(
      '/v2/users/data/get',
      { organizationId, userId: ada.userId },
    );
    expect(data.commentAnnotations).toMatchObject([{ annotationId: 'alone' }, { annotationId: 'both' }]);
    expect(data.comments).toMatchObject([
      { annotationId: 'alone', commentId: 1, from: ada, reactionAnnotations: [] },
      { annotationId: 'alone', commentId: 2 },
      { annotationId: 'both', commentId: 1, documentId: location.documentId },
    ]);
    expect(data.reactions).toMatchObject([
      { annotationId: 'none', commentId: 1, icon: '+1' },
      { annotationId: 'none', commentId: 1, icon: '-1' },
    ]);
  });

  it('keeps records of another organization', async () => {
    await threads();
    const other = await aDocument(tenant);
    const deletion = await begunDeletion(api, tenant, {
      userIds: [ada.userId],
      organizationIds: [other.organizationId],
    });
    expect(await carriedOut(api, deletion)).toEqual([]);
    expect(await get()).toHaveLength(4);
  });
});

describe('the deletion of a user whom keys in comments of large threads name', () => {
  it('reads at most 2 MiB of threads at a time', async () => {
    const pad = (kibibytes: number) => ({ pad: 'x'.repeat(kibibytes * 1_024 - 100) });
    await tenant.ok('/v2/commentannotations/add', {
      ...location,
      commentAnnotations: Array.from({ length: 20 }, (_, at) => ({
        annotationId: `large-${String(at)}`,
        targetElement: pad(64),
        suggestion: pad(64),
        type: 'suggestion',
        context: pad(16),
        pageInfo: pad(16),
        commentData: [{ from: grace, context: { seenBy: { [ada.userId]: true } } }],
      })),
    });
    const deletion = await begunDeletion(api, tenant, { userIds: [ada.userId] });
    const sent = await statementsOf(async () => expect(await carriedOut(api, deletion)).toEqual([]));
    // 3.2 MB of bodies.
    expect(sent.filter(({ text }) => text.startsWith('select id, body from thread'))).toHaveLength(2);
    expect((await rowsOf(api.database, tenant.id))['comment']?.join()).not.toContain(ada.userId);
  });
});
