import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inFull } from '../support/tier.ts';
import { withListeners } from '../support/webhooks.ts';
import { anAttackedApi, expectHarmless, type AttackedApi } from './attacked-api.ts';

const kibibyte = 1_024;
const from = { userId: 'ada' };
const large = { userId: 'ben', profile: 'x'.repeat(250 * kibibyte) };
/** Annotations that one call changes: 250 MB of changed bodies in the full test. */
const annotationCount = inFull ? 1_000 : 600;
const counted = <Item>(count: number, item: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => item(at));

let target: AttackedApi;

const call = async (operation: string, data: object) =>
  target.attacker.ok(`/v2/commentannotations/${operation}`, { ...target.document, ...data });

beforeAll(async () => {
  target = await anAttackedApi();
  await withListeners(target.attacker, target.beside);
  const annotationIds = counted(annotationCount, (at) => `small-${String(at)}`);
  await call('add', {
    commentAnnotations: annotationIds.map((annotationId) => ({
      annotationId,
      location: { id: 'small' },
      commentData: [{ from }],
    })),
  });
}, 240_000);
afterAll(() => target.close());

describe('an API whose caller makes many annotations large by one small call', () => {
  it(`updates ${annotationCount} annotations with an assignee of 250 KiB`, async () => {
    const damage = await target.attack('large updates', async () => {
      const { failedCount } = await call('update', {
        locationIds: ['small'],
        updatedData: { assignedTo: large },
      });
      expect(failedCount).toBe(0);
    });
    expectHarmless(damage);
  }, 240_000);

  it(`replaces the author of ${annotationCount} comments by a user of 250 KiB`, async () => {
    await call('update', { locationIds: ['small'], updatedData: { assignedTo: null } });
    const damage = await target.attack('large users', async () => {
      const { failedCount } = await call('update', {
        locationIds: ['small'],
        updateUsers: [{ oldUser: from, newUser: { ...large, userId: 'cid' } }],
      });
      expect(failedCount).toBe(0);
    });
    expectHarmless(damage);
  }, 240_000);

  it('refuses a user who would replace a thousand others in one comment', async () => {
    const context = { watchers: counted(600, () => from) };
    await call('add', {
      commentAnnotations: [{ annotationId: 'watched', commentData: [{ from, context }] }],
    });
    const damage = await target.attack('a replaced user', async () => {
      const { status, body } = await target.attacker.call('/v2/commentannotations/update', {
        ...target.document,
        annotationIds: ['watched'],
        updateUsers: [{ oldUser: from, newUser: { ...large, profile: 'x'.repeat(900 * kibibyte) } }],
      });
      expect([status, body.error?.status]).toEqual([400, 'INVALID_ARGUMENT']);
    });
    expectHarmless(damage);
  });
});

describe('an API whose caller changes a thousand comments of an annotation with long ids of a thousand users', () => {
  const emits = { triggerNotification: true, triggerActivities: true };
  const longIds = counted(990, (at) => `${String(at)}-`.padEnd(1_000, 'x'));

  it('emits events and activity logs of at most 64 KiB', async () => {
    const annotationId = 'involved';
    const tags = counted(10, (at) => longIds.slice(at * 99, at * 99 + 99));
    const commentData = tags.map((ids) => ({
      from,
      taggedUserContacts: ids.map((userId) => ({ userId })),
    }));
    await call('add', { commentAnnotations: [{ annotationId, commentData }] });
    await call('comments/add', { annotationId, commentData: counted(990, () => ({ from })) });
    const damage = await target.attack('comments of many users', async () => {
      const commentIds = counted(990, (at) => at + 11);
      await call('comments/update', {
        annotationId,
        commentIds,
        updatedData: { commentText: 'changed' },
        ...emits,
      });
    });
    expectHarmless(damage);
    const [found] = await target.beside.database.sql<{ events: number; largest: number; log: number }>(
      `select count(*)::int as events, max(octet_length(payload::text)) as largest,
         (select max(octet_length(body::text)) from activity where api_key_id = e.api_key_id) as log
       from event e where type = 'comment.update' group by api_key_id`,
    );
    expect(found?.events).toBe(990);
    expect(Math.max(found?.largest ?? 0, found?.log ?? 0)).toBeLessThan(64 * kibibyte);
  }, 240_000);
});
