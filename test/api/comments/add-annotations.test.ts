import { describe, expect, it } from '@jest/globals';
import { issuesOf } from '../../support/client.ts';
import { aDocument } from '../../support/factories.ts';
import { annotationsScene, ada, comment, annotation } from './annotations-scene.ts';

const scene = await annotationsScene();
const { api, tenant, add, get, listed, refused } = scene;

describe('adding annotations', () => {
  it('returns the outcome of each annotation by its id, and stores every member sent', async () => {
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
    const { data } = await get({ documentId: scene.document.documentId });
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
      metadata: { apiKey: tenant.apiKey, ...scene.document },
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
    const { organizationId } = scene.document;
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
    const { data } = await get({ documentId: scene.document.documentId, annotationIds: ['s', 'c'] });
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
      expect(await listed({ ...filter, documentId: scene.document.documentId })).toEqual(['s']);
    const two = await tenant.refused('/v2/commentannotations/get', {
      ...scene.document,
      agentId: 'b',
      agentType: 'custom',
    });
    expect(two).toMatchObject({ status: 'INVALID_ARGUMENT', message: 'Only one agent filter may be sent.' });
  });

  it('refuses malformed input, and names member and rule', async () => {
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
    expect(await message({ comments: [comment({ commentId: 1 }), comment({ commentId: 1 })] })).toBe(
      'commentAnnotations[0].comments must hold each commentId once.',
    );
    expect(await message(annotation({ visibility: { type: 'restricted' } }))).toBe(
      'commentAnnotations[0].visibility.userIds is required.',
    );
    const unheard = { visibility: { type: 'restricted', organizationId: 7 } };
    expect(issuesOf(await refused(annotation(unheard)))).toEqual({
      'data.commentAnnotations[0].visibility.organizationId':
        'commentAnnotations[0].visibility.organizationId must be a string.',
      'data.commentAnnotations[0].visibility.userIds':
        'commentAnnotations[0].visibility.userIds is required.',
    });
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
    const unnamed = comment({
      agent: { ...agent, agentType: 'robot' },
      taggedUserContacts: [{ userId: 'ada', text: 7, contact: { userId: 'bob' } }],
    });
    expect(issuesOf(await refused({ commentData: [unnamed] }))).toEqual({
      'data.commentAnnotations[0].commentData[0].agent.agentType': expect.stringContaining('one of'),
      'data.commentAnnotations[0].commentData[0].agent.agentName':
        'commentAnnotations[0].commentData[0].agent.agentName is required.',
      'data.commentAnnotations[0].commentData[0].taggedUserContacts[0].text':
        expect.stringContaining('string'),
      'data.commentAnnotations[0].commentData[0].taggedUserContacts[0].contact.userId':
        'commentAnnotations[0].commentData[0].taggedUserContacts[0].contact.userId must equal the userId beside contact.',
    });
    expect(
      await message({ commentData: Array.from({ length: 501 }, () => comment()), unknown: 1 }),
    ).toContain('unknown');
    const many = Array.from({ length: 2 }, () => ({
      commentData: Array.from({ length: 501 }, () => comment()),
    }));
    const { message: text } = await tenant.refused('/v2/commentannotations/add', {
      ...scene.document,
      commentAnnotations: many,
    });
    expect(text).toBe('commentAnnotations must hold at most 1000 comments, not 1002.');
  });

  it('refuses every visibility except public until private comments are enabled', async () => {
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
    const { data } = await get({ documentId: scene.document.documentId, annotationIds: ['p', 'o'] });
    expect(data.map((one) => one?.['visibilityConfig'])).toEqual([
      { type: 'restricted', userIds: ['ada', 'nobody'] },
      { type: 'organizationPrivate', organizationIds: [scene.document.organizationId] },
    ]);
  });

  it('refuses annotations of users without access only with verifyUserPermissions', async () => {
    const { organizationId, documentId } = scene.document;
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

  it('creates no users that only refused annotations name', async () => {
    const { organizationId, documentId } = scene.document;
    await tenant.ok('/v2/users/add', { organizationId, documentId, users: [{ userId: 'known' }] });
    await tenant.ok('/v2/organizations/documents/access/update', {
      organizationId,
      documentIds: [documentId],
      accessType: 'restricted',
    });
    const known = async () => {
      const rows = await api.database.sql<{ ext_id: string }>(
        `select ext_id from app_user where api_key_id = $1 and (ext_id like 'refused-%' or ext_id like 'new-%')`,
        [tenant.id],
      );
      return new Set(rows.map(({ ext_id }) => ext_id));
    };
    const assignedTo = { userId: 'refused-assignee', name: 'Dee' };
    const stranger = annotation({
      assignedTo,
      commentData: [comment({ from: { userId: 'refused-author' } })],
    });
    const large = annotation({
      commentData: Array.from({ length: 43 }, () =>
        comment({ from: { userId: 'refused-writer' }, commentHtml: 'x'.repeat(200_000) }),
      ),
    });
    const own = annotation({
      assignedTo: { userId: 'new-assignee', name: 'Eva' },
      commentData: [comment({ from: { userId: 'known' } })],
    });
    const results = Object.values(await add([stranger, own], { verifyUserPermissions: true }));
    expect(results.map((result) => result['success'])).toEqual([false, true]);
    expect(Object.values(await add([large]))).toMatchObject([{ code: 'failed-precondition' }]);
    expect(await known()).toEqual(new Set(['new-assignee']));
  });

  it('adds an id once under concurrent calls', async () => {
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
    expect(await listed({ documentId: scene.document.documentId })).toHaveLength(3);
  });
});
