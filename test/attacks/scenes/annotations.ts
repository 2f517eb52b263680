import assert from 'node:assert/strict';
import type { Result } from '../../support/client.ts';
import type { Stage, Target } from '../scene.ts';

const kibibyte = 1_024;
const from = { userId: 'ada' };
const large = { userId: 'ben', profile: 'x'.repeat(250 * kibibyte) };
/** The largest acting user, whom each event, activity log and notification repeats. */
const actionUser = { userId: 'dan', profile: 'x'.repeat(16_000) };
const triggers = { triggerNotification: true, triggerActivities: true };
const counted = <Item>(count: number, item: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => item(at));

const call = async (
  { attacker, document }: Target,
  operation: string,
  data: object,
): Promise<Pick<Result, 'failedCount'>> =>
  await attacker.ok(`/v2/commentannotations/${operation}`, { ...document, ...data });

/** Turns on all services that comments can trigger. */
async function turnOnListeners({ attacker }: Target): Promise<void> {
  await attacker.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
  await attacker.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
  await attacker.ok('/v2/workspace/advancedwebhook/endpoints/create', { url: 'http://127.0.0.1/' });
}

/** The annotation whose comments name many users. */
const involved = 'involved';

/** Small calls that make many annotations large: 250 MB of changed bodies in full. */
export function annotations(full: boolean): Stage {
  const count = full ? 1_000 : 600;
  const update = async (target: Target, data: object): Promise<void> => {
    const { failedCount } = await call(target, 'update', { locationIds: ['small'], ...data });
    assert.equal(failedCount, 0);
  };
  return {
    async prepare(target) {
      await turnOnListeners(target);
      await call(target, 'add', {
        commentAnnotations: counted(count, (at) => ({
          annotationId: `small-${String(at)}`,
          location: { id: 'small' },
          commentData: [{ from }],
        })),
      });
    },
    scenes: [
      {
        title: `an update of ${String(count)} annotations with an assignee of 250 KiB`,
        attack: async (target) => await update(target, { updatedData: { assignedTo: large } }),
      },
      {
        title: `a user of 250 KiB who replaces the author of ${String(count)} comments`,
        prepare: async (target) => await update(target, { updatedData: { assignedTo: null } }),
        attack: async (target) =>
          await update(target, {
            updateUsers: [{ oldUser: from, newUser: { ...large, userId: 'cid' } }],
          }),
      },
      {
        title: 'a user of 900 KiB who replaces 600 others in one comment',
        async prepare(target) {
          const context = { watchers: counted(600, () => from) };
          await call(target, 'add', {
            commentAnnotations: [{ annotationId: 'watched', commentData: [{ from, context }] }],
          });
        },
        async attack({ attacker, document }) {
          const newUser = { ...large, profile: 'x'.repeat(900 * kibibyte) };
          const { status, body } = await attacker.call('/v2/commentannotations/update', {
            ...document,
            annotationIds: ['watched'],
            updateUsers: [{ oldUser: from, newUser }],
          });
          assert.deepEqual([status, body.error?.status], [400, 'INVALID_ARGUMENT']);
        },
      },
      {
        title: 'an update of 990 comments of an annotation with long ids of 990 users',
        async prepare(target) {
          const longIds = counted(990, (at) => `${String(at)}-`.padEnd(1_000, 'x'));
          const commentData = counted(10, (at) => ({
            from,
            taggedUserContacts: longIds.slice(at * 99, at * 99 + 99).map((userId) => ({ userId })),
          }));
          await call(target, 'add', { commentAnnotations: [{ annotationId: involved, commentData }] });
          await call(target, 'comments/add', {
            annotationId: involved,
            commentData: counted(990, () => ({ from })),
          });
        },
        async attack(target) {
          await call(target, 'comments/update', {
            annotationId: involved,
            commentIds: counted(990, (at) => at + 11),
            updatedData: { commentText: 'changed' },
            ...triggers,
          });
        },
      },
      {
        title: `three changes of ${String(count)} annotations by the largest acting user`,
        attack: async (target) =>
          await update(target, {
            updatedData: {
              status: { id: 'done', name: 'Done', type: 'terminal' },
              priority: { id: 'high', name: 'High' },
              assignedTo: { userId: 'eve' },
            },
            actionUser,
            ...triggers,
          }),
      },
      {
        title: `a deletion of ${String(count)} annotations by the largest acting user`,
        async attack(target) {
          const { failedCount } = await call(target, 'delete', {
            locationIds: ['small'],
            actionUser,
            ...triggers,
          });
          assert.equal(failedCount, 0);
        },
      },
    ],
  };
}
