import { describe, expect, it } from '@jest/globals';
import { aDocument, aTenant, freshId } from '../../support/factories.ts';
import { withListeners } from '../../support/webhooks.ts';
import { documentScene } from '../../support/document-scene.ts';

const scene = await documentScene({ prepare: withListeners });
const { api, tenant } = scene;
await tenant.ok('/v2/workspace/apikeyconfig/update', { enablePrivateComments: true });

const user = (userId: string) => ({ userId, name: `Name of ${userId}` });

const [ada, ben, cleo, dora] = [user('ada'), user('ben'), user('cleo'), user('dora')];
const done = { id: 'DONE', name: 'Done', type: 'terminal' };

const path = '/v2/commentannotations/update';

interface Annotation {
  readonly annotationId: string;
  readonly lastUpdated: number;
  readonly comments: readonly Record<string, unknown>[];
  readonly [member: string]: unknown;
}

const add = async (...annotations: readonly object[]): Promise<void> => {
  const commentAnnotations = annotations.map((annotation) => ({
    commentData: [{ from: ada, commentText: 'Really?' }],
    lastUpdated: 1_000,
    createdAt: 1_000,
    ...annotation,
  }));
  await tenant.ok('/v2/commentannotations/add', { ...scene.document, commentAnnotations });
};

const update = async (data: object, route = path) =>
  (
    await tenant.ok<Record<string, { success: boolean; message: string }>>(route, {
      ...scene.document,
      ...data,
    })
  ).data;

const read = async (annotationId: string): Promise<Annotation> => {
  const request = { ...scene.document, annotationIds: [annotationId] };
  const [found] = (await tenant.ok<(Annotation | null)[]>('/v2/commentannotations/get', request)).data;
  if (found === undefined || found === null) throw new Error('the annotation is missing');
  return found;
};

const typesOfEvents = async (): Promise<string[]> => {
  const found = await api.database.sql<{ type: string }>(
    `select e.type from event e join document d on d.id = e.document_id where d.ext_id = $1
      and e.type like 'comment%' order by e.id`,
    [scene.document.documentId],
  );
  return found.map(({ type }) => type);
};

/** Counters of every thread of the document against its rows. */
const counters = async () =>
  api.database.sql<{ exact: boolean }>(
    `select t.comment_count = n.comments and t.reaction_count = n.reactions and t.content_bytes = n.bytes as exact
     from thread t join document d on d.id = t.document_id cross join lateral (
       select count(*)::int as comments, coalesce(sum(r.reactions), 0)::int as reactions,
         coalesce(sum(octet_length(c.body::text) + r.bytes), 0)::int as bytes
       from comment c cross join lateral (
         select count(*) as reactions, coalesce(sum(octet_length(body::text)), 0) as bytes from reaction where comment_id = c.id) r
       where c.thread_id = t.id) n where d.ext_id = $1`,
    [scene.document.documentId],
  );

const peopleOf = async (): Promise<Record<string, number>> => {
  const found = await api.database.sql<{ ext_id: string; roles: number }>(
    `select u.ext_id, p.roles from thread_person p join app_user u on u.id = p.user_id join thread t on t.id = p.thread_id
      join document d on d.id = t.document_id where d.ext_id = $1 order by u.ext_id`,
    [scene.document.documentId],
  );
  return Object.fromEntries(found.map(({ ext_id, roles }) => [ext_id, roles]));
};

describe('updating annotations', () => {
  it('replaces each member sent and keeps the others', async () => {
    await add({ annotationId: 'one', location: { id: 'a', page: 1 }, context: { a: 1 }, pageInfo: { b: 2 } });
    const updatedData = {
      location: { id: 5, locationName: 'Five' },
      targetElement: { xpath: '/a' },
      from: ben,
      status: done,
      statusUpdatedByUserId: 'cleo',
      resolvedByUserId: 'dora',
      assignedTo: cleo,
      priority: { id: 'P1', name: 'High' },
      context: { c: 3 },
      actions: [{ id: 'go' }],
      createdAt: 2_000,
    };
    expect(await update({ updatedData })).toEqual({
      one: { success: true, id: 'one', message: 'Annotations updated successfully' },
    });
    const stored = await read('one');
    expect(stored).toMatchObject({
      ...updatedData,
      locationId: '5',
      pageInfo: { b: 2 },
      resolvedByUser: { userId: 'dora' },
      involvedUserIds: ['ada', 'cleo'],
    });
    expect(stored.lastUpdated).toBeGreaterThan(1_000);
    const { context, location } = stored;
    expect({ context, location }).toEqual({ context: { c: 3 }, location: updatedData.location });
  });

  it('removes priority, assignee and resolver sent as null, and the resolver of a status that is not terminal', async () => {
    await add({ annotationId: 'one', status: done, priority: { id: 'P', name: 'P' }, assignedTo: ben });
    await update({ updatedData: [{ resolvedByUserId: 'cleo', statusUpdatedByUserId: 'cleo' }] });
    expect(await read('one')).toMatchObject({ resolvedByUserId: 'cleo', statusUpdatedByUserId: 'cleo' });
    const open = { id: 'OPEN', name: 'Open', type: 'default' };
    await update({
      updatedData: { status: open, resolvedByUserId: 'dora', priority: null, assignedTo: null },
    });
    expect(await read('one')).toMatchObject({
      status: open,
      resolvedByUserId: null,
      resolvedByUser: null,
      statusUpdatedByUserId: 'cleo',
      priority: null,
      assignedTo: null,
      involvedUserIds: ['ada'],
    });
    expect(await peopleOf()).toEqual({ ada: 1, ben: 32, cleo: 48, dora: 32 });
  });

  it('keeps the status of a suggestion unless it is sent, and drops suggestions of other annotations', async () => {
    await add(
      { annotationId: 'one', type: 'suggestion', suggestion: { newValue: 1 } },
      { annotationId: 'two' },
    );
    await update({ updatedData: { suggestion: { status: 'accepted', newValue: 2 } } });
    expect(await read('one')).toMatchObject({ suggestion: { status: 'accepted', newValue: 2 } });
    expect(await read('two')).not.toHaveProperty('suggestion');
    expect(await read('two')).toMatchObject({ lastUpdated: 1_000 });
    await update({ updatedData: { suggestion: { newValue: 3 } } });
    expect(await read('one')).toMatchObject({ suggestion: { status: 'accepted', newValue: 3 } });
  });

  it('combines filters with AND, and reports ids that do not match as not found', async () => {
    const bens = { commentData: [{ from: ben }] };
    await add(
      { annotationId: 'one', location: { id: 'a' } },
      { annotationId: 'two', location: { id: 'b' } },
      { annotationId: 'three', location: { id: 'a' }, ...bens },
    );
    const filters = {
      annotationIds: ['one', 'two', 'none'],
      locationIds: ['a'],
      userIds: ['ada', 'unknown'],
    };
    expect(
      await update({ ...filters, updatedData: { status: done } }, '/v1/commentannotations/update'),
    ).toEqual({
      one: { success: true, id: 'one', message: 'Annotations updated successfully' },
      two: { success: false, id: 'two', message: 'Annotation not found.', code: 'not-found' },
      none: { success: false, id: 'none', message: 'Annotation not found.', code: 'not-found' },
    });
    expect(await read('three')).toMatchObject({ status: { id: 'OPEN' } });
    expect(await update({ userIds: ['unknown'], updatedData: { status: done } })).toEqual({});
  });

  it('ignores unknown members of a list of one on /v1', async () => {
    await add({ annotationId: 'one' });
    const filters = { annotationIds: ['one'], updatedData: [{ status: done, foo: 1 }] };
    expect(await update(filters, '/v1/commentannotations/update')).toMatchObject({ one: { success: true } });
    expect(await read('one')).toMatchObject({ status: done });
  });

  it('keeps lastUpdated and emits nothing when nothing changes', async () => {
    await add({ annotationId: 'one', context: { a: 1, b: 2 }, status: done, assignedTo: ben });
    const updatedData = { context: { b: 2, a: 1 }, status: done, assignedTo: ben, lastUpdated: 999 };
    await update({ updatedData, actionUser: ada, triggerActivities: true });
    await update({ updateUsers: [{ oldUser: dora, newUser: cleo }] });
    expect(await read('one')).toMatchObject({ lastUpdated: 1_000 });
    await add({ annotationId: 'empty', type: 'suggestion', suggestion: {} });
    await add({ annotationId: 'none', type: 'suggestion' });
    await update({ updatedData: { suggestion: { status: 'pending' } } });
    for (const annotationId of ['empty', 'none'])
      expect(await read(annotationId)).toMatchObject({ lastUpdated: 1_000 });
    expect(await typesOfEvents()).toEqual([]);
    const lastUpdated = Date.now() + 80_000_000;
    await update({ updatedData: { lastUpdated } });
    await update({ updatedData: { priority: { id: 'P', name: 'P' } } });
    expect(await read('one')).toMatchObject({ lastUpdated });
  });

  it('replaces the visibility of an annotation, unless private comments are off', async () => {
    await add({ annotationId: 'one', visibility: { type: 'restricted', userIds: ['ben'] } });
    const total = async (userId: string) =>
      (
        await tenant.ok<Record<string, { total: number }>>('/v2/commentannotations/count/get', {
          organizationId: scene.document.organizationId,
          documentIds: [scene.document.documentId],
          userId,
        })
      ).data[scene.document.documentId]?.total;
    await update({ updatedData: { visibility: { type: 'restricted', userIds: ['cleo'] } } });
    expect([await total('ben'), await total('cleo')]).toEqual([0, 1]);
    await update({ updateUsers: [{ oldUser: cleo, newUser: dora }] });
    expect([await total('cleo'), await total('dora')]).toEqual([0, 1]);
    expect(await read('one')).toMatchObject({ visibilityConfig: { type: 'restricted', userIds: ['dora'] } });
    await update({ updatedData: { visibility: { type: 'public' } } });
    expect(await total('ben')).toBe(1);
    const other = await aTenant(api);
    const plain = await aDocument(other);
    const visibility = { type: 'organizationPrivate' };
    expect(await other.refused(path, { ...plain, updatedData: { visibility } })).toMatchObject({
      status: 'FAILED_PRECONDITION',
    });
  });

  it('emits an event for each change, and requires an actor', async () => {
    await add({ annotationId: 'one', type: 'suggestion', suggestion: { newValue: 1 } });
    const updatedData = {
      status: done,
      priority: { id: 'P', name: 'High' },
      assignedTo: ben,
      suggestion: { status: 'rejected' },
      visibility: { type: 'restricted', userIds: ['ada'] },
    };
    const triggers = { triggerNotification: true, triggerActivities: true };
    expect(await tenant.refused(path, { ...scene.document, updatedData, ...triggers })).toMatchObject({
      status: 'INVALID_ARGUMENT',
      message: expect.stringContaining('actionUser is required.') as unknown,
    });
    await update({ updatedData: { ...updatedData, statusUpdatedByUserId: 'cleo' }, ...triggers });
    expect(await typesOfEvents()).toEqual([
      'comment_annotation.status_change',
      'comment_annotation.priority_change',
      'comment_annotation.assign',
      'comment_annotation.suggestion_reject',
      'comment_annotation.access_mode_change',
    ]);
  });

  it('updates nothing when more than 1,000 annotations match', async () => {
    const many = Array.from({ length: 1_000 }, (_, at) => ({ annotationId: `many-${String(at)}` }));
    await add(...many);
    expect(Object.keys(await update({ updatedData: { status: done } }))).toHaveLength(1_000);
    await add({ annotationId: 'last' });
    expect(
      await tenant.refused(path, { ...scene.document, updatedData: { priority: { id: 'P', name: 'P' } } }),
    ).toMatchObject({
      status: 'FAILED_PRECONDITION',
      message: 'The filters match more than 1000 annotations.',
    });
    expect(await read('many-0')).toMatchObject({ priority: null });
  });

  it('refuses requests without anything to update', async () => {
    for (const data of [{}, { updatedData: {} }, { updateUsers: [] }, { updatedData: [{}, {}] }])
      expect(await tenant.refused(path, { ...scene.document, ...data })).toMatchObject({
        status: 'INVALID_ARGUMENT',
      });
  });
});

describe('replacing users', () => {
  const rich = {
    annotationId: 'one',
    assignedTo: ben,
    location: { id: 'a', owner: ben, byId: { ben: 1 } },
    context: { mentions: { ben: 1 }, list: [ben, cleo] },
    commentData: [
      {
        from: ben,
        commentText: '{{ben}} and {{{cleo}} and {{ada}} {{ben',
        commentHtml: '<b>{{ben}}</b>',
        taggedUserContacts: [{ userId: 'ben', text: '@Ben', contact: ben }, { userId: 'cleo' }],
        progress: { state: 'active', visibleToUserIds: ['ben', 'ada'] },
        context: { ben: { by: ben } },
      },
      { from: ada, commentText: '{{ben}}' },
    ],
  };

  const react = async (icon: string, ...userIds: readonly string[]): Promise<void> => {
    await api.database.sql(
      `with r as (insert into reaction (comment_id, icon, user_id, api_key_id, org_id, at, body)
         select c.id, $1, u.id, u.api_key_id, t.org_id, array_position($2::text[], u.ext_id), json_build_object('from', json_build_object('userId', u.ext_id))
         from app_user u, document d join thread t on t.document_id = d.id join comment c on c.thread_id = t.id and c.ext_id = 1
         where d.ext_id = $3 and u.ext_id = any($2::text[]) and u.api_key_id = d.api_key_id returning body)
       update thread t set reaction_count = reaction_count + (select count(*) from r),
         content_bytes = content_bytes + (select sum(octet_length(body::text)) from r)
       from document d where d.id = t.document_id and d.ext_id = $3`,
      [icon, userIds, scene.document.documentId],
    );
  };

  it('replaces each in annotations, comments, marks and reactions, and keeps counters and roles exact', async () => {
    await add(rich);
    await react('+1', 'ben', 'cleo');
    await react('-1', 'ben');
    const newUser = { userId: 'dora', name: 'Dora', team: 'x' };
    await update({ updateUsers: [{ oldUser: ben, newUser }], actionUser: ada, triggerActivities: true });
    const stored = await read('one');
    expect(stored).toMatchObject({
      from: newUser,
      assignedTo: newUser,
      location: { id: 'a', owner: newUser, byId: { dora: 1 } },
      context: { mentions: { dora: 1 }, list: [newUser, cleo] },
      involvedUserIds: ['ada', 'cleo', 'dora'],
      mentionedUserIds: ['cleo', 'dora'],
    });
    expect(stored.comments).toMatchObject([
      {
        from: newUser,
        commentText: '{{dora}} and {{{cleo}} and {{ada}} {{ben',
        commentHtml: '<b>{{dora}}</b>',
        taggedUserContacts: [{ userId: 'dora', text: '@Ben', contact: newUser }, { userId: 'cleo' }],
        progress: { visibleToUserIds: ['dora', 'ada'] },
        context: { dora: { by: newUser } },
        reactionAnnotations: [
          { icon: '+1', count: 2 },
          { icon: '-1', count: 1, fromUsers: [{ from: newUser }] },
        ],
      },
      // A mark of a user who is not tagged is text.
      { from: ada, commentText: '{{ben}}', lastUpdated: expect.any(Number) as unknown },
    ]);
    expect(await counters()).toEqual([{ exact: true }]);
    expect(await peopleOf()).toEqual({ ada: 33, cleo: 34, dora: 39 });
    expect(await typesOfEvents()).toEqual([]);
    const { lastUpdated } = stored;
    await update({ updateUsers: [{ oldUser: ben, newUser }] });
    expect(await read('one')).toMatchObject({ lastUpdated });
  });

  it('swaps two users, and keeps one reaction of merged users', async () => {
    await add(rich);
    await react('+1', 'ben', 'cleo');
    const swap = [
      { oldUser: ben, newUser: cleo },
      { oldUser: cleo, newUser: ben },
    ];
    await update({ updateUsers: swap });
    const swapped = await read('one');
    expect(swapped.comments[0]).toMatchObject({
      from: cleo,
      commentText: '{{cleo}} and {{{ben}} and {{ada}} {{ben',
      reactionAnnotations: [{ fromUsers: [{ from: cleo }, { from: ben }] }],
    });
    await update({ updateUsers: [{ oldUser: ben, newUser: cleo }] });
    expect((await read('one')).comments[0]).toMatchObject({
      reactionAnnotations: [{ count: 1, fromUsers: [{ from: { userId: 'cleo' } }] }],
    });
    expect(await counters()).toEqual([{ exact: true }]);
    expect(Object.keys(await peopleOf())).toEqual(['ada', 'cleo']);
  });

  it('replaces the user who resolved the annotation', async () => {
    await add({ annotationId: 'one', status: done });
    await update({ updatedData: { resolvedByUserId: 'ben', statusUpdatedByUserId: 'ben' } });
    await update({ updateUsers: [{ oldUser: ben, newUser: cleo }], updatedData: { pageInfo: { a: 1 } } });
    expect(await read('one')).toMatchObject({ resolvedByUserId: 'cleo', statusUpdatedByUserId: 'cleo' });
    const resolved = await tenant.ok<object[]>('/v2/commentannotations/get', {
      ...scene.document,
      resolvedBy: 'cleo',
    });
    expect(resolved.data).toHaveLength(1);
    const { lastUpdated } = await read('one');
    await update({ updateUsers: [{ oldUser: cleo, newUser: cleo }] });
    expect(await read('one')).toMatchObject({ lastUpdated });
  });
});

describe('concurrent updates', () => {
  it('applies updates, comments and deletions of one thread one after another', async () => {
    await add({ annotationId: 'one' });
    const comment = (at: number) => ({ from: user(`writer-${String(at % 3)}`), commentText: 'x' });
    await Promise.all(
      Array.from({ length: 12 }, async (_, at) => {
        if (at % 3 === 0) await update({ updatedData: { priority: { id: freshId('p'), name: 'P' } } });
        else if (at % 3 === 1)
          await tenant.ok('/v2/commentannotations/comments/add', {
            ...scene.document,
            annotationId: 'one',
            commentData: [comment(at)],
          });
        else await update({ updateUsers: [{ oldUser: user('writer-1'), newUser: user('writer-2') }] });
      }),
    );
    expect(await counters()).toEqual([{ exact: true }]);
    expect(await read('one')).toMatchObject({ commentsCount: 5 });
    const [updated] = await Promise.all([
      update({ annotationIds: ['one'], updatedData: { status: done } }),
      tenant.ok('/v2/commentannotations/delete', { ...scene.document, annotationIds: ['one'] }),
    ]);
    expect(Object.keys(updated)).toEqual(['one']);
    expect(await counters()).toEqual([]);
  });
});
