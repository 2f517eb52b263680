import { describe, expect, it } from '@jest/globals';
import { reversedMembers } from '../../support/reversed-members.ts';
import { rowsOf } from '../../support/rows.ts';
import { withListeners } from '../../support/webhooks.ts';
import { annotationsScene, comment } from './annotations-scene.ts';

const scene = await annotationsScene();
const { api, tenant, add } = scene;
await withListeners(tenant, api);

const rows = async () => rowsOf(api.database, tenant.id);

/** A comment with free members, which triggers everything that a comment can. */
const full = (members: object = {}) =>
  comment({
    commentText: 'See {{cleo}}',
    taggedUserContacts: [
      { userId: 'cleo', contact: { userId: 'cleo', name: 'Cleo', team: 'x' } },
      { userId: 'dan' },
    ],
    attachments: [{ attachmentId: 1, name: 'a.png', metadata: { width: 1, height: 2 } }],
    context: { 10: 'ten', 9: 'nine', team: { b: 1, a: [{ y: 1, x: 2 }] } },
    agent: { agentSource: 'external', agentId: 'bot', agentName: 'Bot', reason: { findingId: 'f', more: 1 } },
    triggerNotification: true,
    triggerActivities: true,
    ...members,
  });

describe('a repeated annotation with its members in another order', () => {
  const item = {
    annotationId: 'a',
    location: { id: 7, locationName: 'Chart', page: 3 },
    targetElement: { xpath: '/a', box: { top: 1, left: 2 } },
    priority: { id: 'P1', name: 'High' },
    assignedTo: { userId: 'ben', name: 'Ben' },
    context: { access: { team: 'x', role: 'y' } },
    commentData: [full(), full({ commentText: 'Second' })],
  };

  it('succeeds, changes nothing and emits nothing', async () => {
    const first = await add([item]);
    const before = await rows();
    expect(before['event']).not.toHaveLength(0);
    expect(await add([reversedMembers(item)])).toEqual(first);
    expect(await rows()).toEqual(before);
  });

  it.each([
    { ...item, context: { access: { team: 'x', role: 'z' } } },
    { ...item, commentData: item.commentData.toReversed() },
    { ...item, commentData: [full({ context: { team: { b: 1, a: [{ y: 2, x: 2 }] } } }), full()] },
  ])('is refused when its content differs: %#', async (other) => {
    await add([item]);
    const before = await rows();
    expect(await add([reversedMembers(other)])).toMatchObject({ a: { code: 'already-exists' } });
    expect(await rows()).toEqual(before);
  });
});

describe('repeated comments with their members in another order', () => {
  const path = '/v2/commentannotations/comments/add';
  const requestOf = (commentData: readonly object[]) => ({
    ...scene.document,
    annotationId: 'a',
    commentData,
  });
  const sent = [full({ commentId: 7 }), full({ commentText: 'Without an id' })];

  it('return the same ids, change nothing and emit nothing', async () => {
    await add([{ annotationId: 'a', commentData: [comment()] }]);
    const { data } = await tenant.ok(path, requestOf(sent));
    expect(data).toEqual([7, 8]);
    const before = await rows();
    expect((await tenant.ok(path, reversedMembers(requestOf(sent)))).data).toEqual(data);
    expect(await rows()).toEqual(before);
  });

  it('are refused when their content differs', async () => {
    await add([{ annotationId: 'a', commentData: [comment()] }]);
    await tenant.ok(path, requestOf(sent));
    const tagged = [
      { userId: 'dan' },
      { userId: 'cleo', contact: { userId: 'cleo', name: 'Cleo', team: 'x' } },
    ];
    const refusal = await tenant.refused(
      path,
      requestOf([full({ commentId: 7, taggedUserContacts: tagged })]),
    );
    expect(refusal).toMatchObject({ status: 'ALREADY_EXISTS', message: 'Comment already exists.' });
  });
});
