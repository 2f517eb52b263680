import { describe, expect, it } from '@jest/globals';
import { oneOf, randomOf } from '../../domain/permissions/random-worlds.ts';
import { documentScene } from '../../support/document-scene.ts';
import {
  annotationAfter,
  type Annotation,
  type Comment,
  type Json,
  type Replaced,
  type User,
} from './replacement-model.ts';
import { threadsOf } from './thread-rows.ts';

const scene = await documentScene();
const { api, tenant } = scene;
await tenant.ok('/v2/workspace/apikeyconfig/update', { enablePrivateComments: true });

const at = (operation: string): string => `/v2/commentannotations/${operation}`;

const seed = Math.floor(Math.random() * 2 ** 31);
const random = randomOf(seed);
const below = (max: number): number => Math.floor(random() * max);
const one = <Value>(...values: readonly Value[]): Value => oneOf(random, values);
/** Returns an object with the member in half of the cases, and an empty one otherwise. */
const maybe = <Value>(name: string, value: () => Value): Record<string, Value> =>
  below(2) === 0 ? {} : { [name]: value() };

/** Two of the ids are also names of members. */
const ids = ['ada', 'ben', 'cleo', 'dora', 'id', 'summary'] as const;
const id = (): string => one(...ids);
const someIds = (): string[] => [...new Set([id(), id(), id()])];
const user = (): User => ({
  userId: id(),
  ...maybe('name', () => one('Old', 'New')),
  ...maybe('lead', () => ({ userId: id() })),
});

/** Members with users in values, keys and maps. */
const members = (depth = 2): Json => ({
  ...maybe(id(), () => below(9)),
  ...maybe(id(), user),
  ...maybe('mentions', () => Object.fromEntries(someIds().map((userId) => [userId, value(depth - 1)]))),
  ...maybe('list', () => [value(depth - 1), user(), id()]),
});
const value = (depth: number): unknown =>
  depth <= 0 ? below(9) : one<unknown>(user(), members(depth), [id()]);
const free = (): Json => one(user(), members());
/** An object that is not a user, although its `userId` names one. */
const record = (own: Json): Json => ({ ...members(), ...maybe('userId', id), ...own });

const comment = (commentId: number): Json => ({
  commentId,
  from: user(),
  commentText: `{{${id()}}} and {{{${id()}}} or {{${id()}}}}} and {{${id()}`,
  ...maybe('taggedUserContacts', () =>
    someIds().map((userId) => ({ userId, ...maybe('contact', () => ({ ...user(), userId })) })),
  ),
  ...maybe('attachments', () => [{ attachmentId: 1, metadata: free() }]),
  ...maybe('actions', () => [{ id: 'go', metadata: free() }]),
  ...maybe('context', free),
  ...maybe('agent', () =>
    record({ agentSource: 'crawler', agentId: 'bot', ...maybe('reason', () => record({ title: 'Why' })) }),
  ),
  ...maybe('progress', () => ({
    state: 'active',
    steps: [{ label: 'Read', metadata: free() }],
    visibleToUserIds: someIds(),
  })),
});

const annotation = (annotationId: string): Json => ({
  annotationId,
  type: 'suggestion',
  location: record({ id: one('here', 'there') }),
  ...maybe('targetElement', free),
  ...maybe('context', free),
  ...maybe('pageInfo', free),
  ...maybe('actions', () => [{ id: 'go', metadata: free() }]),
  ...maybe('assignedTo', user),
  ...maybe('suggestion', () => record({ newValue: free(), summary: 'A text' })),
  ...maybe('visibility', () => ({ type: 'restricted', userIds: someIds() })),
  commentData: [comment(1), comment(2)],
});

const annotationIds = ['one', 'two', 'three'];

/** Adds annotations with reactions and resolvers. Each reaction has its own time. */
async function addWorld(): Promise<void> {
  const { document } = scene;
  await tenant.ok(at('add'), { ...document, commentAnnotations: annotationIds.map(annotation) });
  const locations = annotationIds.flatMap((annotationId) =>
    ['up', 'down'].flatMap((icon) => someIds().map((userId) => ({ annotationId, icon, userId }))),
  );
  await Promise.all(
    locations.map(async ({ userId, ...location }, n) => {
      const sent = {
        ...location,
        commentId: 1,
        from: { ...user(), userId },
        createdAt: 1_000 + ((n * 7) % 31),
      };
      return tenant.ok(at('comments/reactions/add'), { ...document, ...sent });
    }),
  );
  await tenant.ok(at('update'), {
    ...document,
    annotationIds: [one(...annotationIds)],
    updatedData: {
      status: { id: 'DONE', name: 'Done', type: 'terminal' },
      resolvedByUserId: id(),
      statusUpdatedByUserId: id(),
    },
  });
}

const read = async (): Promise<readonly Annotation[]> =>
  (await tenant.ok<Annotation[]>(at('get'), { ...scene.document, annotationIds })).data;

/** Without the members that the model does not know. */
const withoutTimes = ({ lastUpdated: _at, resolvedByUser: _profile, comments, ...rest }: Annotation) => ({
  ...rest,
  comments: comments.map(({ lastUpdated: _changed, ...members }: Comment) => members),
});

const same = (found: unknown, expected: unknown): boolean => {
  try {
    expect(found).toEqual(expected);
    return true;
  } catch {
    return false;
  }
};

/** The number of annotations that each user may see. */
async function seenBy(): Promise<Record<string, number>> {
  const { organizationId, documentId } = scene.document;
  const seen = ids.map(async (userId) => {
    const request = { organizationId, documentIds: [documentId], userId };
    const { data } = await tenant.ok<Record<string, { total: number }>>(at('count/get'), request);
    return [userId, data[documentId]?.total ?? -1] as const;
  });
  return Object.fromEntries(await Promise.all(seen));
}

describe('a replacement of users', () => {
  it.each(Array.from({ length: 10 }, (_, world) => world))(
    'changes the same values as the model, and keeps all others, in random world %i',
    async (world) => {
      await addWorld();
      const updateUsers = Array.from({ length: 1 + below(4) }, () => ({ oldUser: user(), newUser: user() }));
      const users: Replaced = new Map(updateUsers.map(({ oldUser, newUser }) => [oldUser.userId, newUser]));
      const filter: { annotationIds?: string[]; locationIds?: string[]; userIds?: string[] } = {
        ...maybe('annotationIds', () => [...new Set([one(...annotationIds), one(...annotationIds)])]),
        ...maybe('locationIds', () => [one('here', 'there')]),
        ...maybe('userIds', someIds),
      };
      const before = await read();
      const startedAt = Date.now();
      await tenant.ok(at('update'), { ...scene.document, ...filter, updateUsers });
      const after = await read();
      const about = { seed, world, updateUsers, filter };
      const expected = before.map((thread) =>
        (filter.annotationIds?.includes(thread.annotationId) ?? true) &&
        (filter.locationIds?.includes(String(thread.location['id'])) ?? true) &&
        (filter.userIds?.includes(thread.from.userId) ?? true)
          ? annotationAfter(thread, users)
          : thread,
      );
      expect({ ...about, after: after.map(withoutTimes) }).toEqual({
        ...about,
        after: expected.map(withoutTimes),
      });
      for (const [n, thread] of before.entries()) {
        const lastUpdated = after[n]?.lastUpdated;
        const changed = !same(withoutTimes(thread), withoutTimes(expected[n] as Annotation));
        if (changed) expect(lastUpdated).toBeGreaterThanOrEqual(startedAt);
        else expect({ ...about, lastUpdated }).toEqual({ ...about, lastUpdated: thread.lastUpdated });
      }
      const maySee = ({ from, visibilityConfig: { userIds } }: Annotation, userId: string): boolean =>
        userIds === undefined || userIds.includes(userId) || from.userId === userId;
      const seen = ids.map((userId) => [userId, expected.filter((one) => maySee(one, userId)).length]);
      expect({ ...about, seen: await seenBy() }).toEqual({ ...about, seen: Object.fromEntries(seen) });
      for (const thread of await threadsOf(api, scene.document))
        expect({ ...about, thread }).toEqual({
          ...about,
          thread: { ...thread, countersExact: true, rolesExact: true },
        });
    },
  );
});
