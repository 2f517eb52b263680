import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { aDocument, addActivityLogs, type TestDocument, type TestTenant } from '../../support/factories.ts';
import { begunDeletion, carriedOut } from './carry-out.ts';
import { aBusyTenant } from './furnish.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

/** Ids with characters that are easily lost or misread. */
const people = [
  '__proto__',
  'constructor',
  'toString',
  '0',
  '42',
  'ада',
  'a b',
  'userId',
  'mentions',
  'grace',
];
const features = ['comment', 'reaction', 'recorder', 'crdt'];

/** Returns a generator whose seed determines its numbers. */
function randomNumbers(seed: number) {
  let state = seed;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const oneOf = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  return { below, oneOf };
}
type RandomNumbers = ReturnType<typeof randomNumbers>;

/** Returns free JSON that names people as objects, in arrays, as keys of maps, and as strings, which are kept. */
function freeJson(random: RandomNumbers, depth: number): unknown {
  const { below, oneOf } = random;
  const kind = below(depth > 5 ? 3 : 8);
  if (kind === 0) return below(100);
  if (kind === 1) return `of ${oneOf(people)}`;
  if (kind === 2) return null;
  if (kind === 3) return { userId: oneOf(people), about: freeJson(random, depth + 1) };
  if (kind === 4) return Array.from({ length: below(4) }, () => freeJson(random, depth + 1));
  if (kind === 5) {
    const keys = Array.from({ length: below(4) }, () => oneOf(people));
    return {
      [oneOf(['mentions', 'notifyUsers', 'notifyUsersByUserId'])]: mapOf(keys, () =>
        freeJson(random, depth + 1),
      ),
    };
  }
  const names = Array.from({ length: 1 + below(3) }, (_, n) =>
    oneOf([`member-${String(n)}`, 'constructor', '__proto__', 'to']),
  );
  return mapOf(names, () => freeJson(random, depth + 1));
}

const mapOf = (keys: readonly string[], value: () => unknown): object =>
  Object.fromEntries(keys.map((key) => [key, value()]));

/** Returns the expected rest of free JSON by an independent, slow implementation; `undefined` when nothing is left. */
function left(value: unknown, gone: ReadonlySet<unknown>, inMap = false): unknown {
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      const kept = left(item, gone);
      if (kept !== undefined) items.push(kept);
    }
    return items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = new Map(Object.entries(value));
  if (gone.has(members.get('userId')) && typeof members.get('userId') === 'string') return undefined;
  const kept: [string, unknown][] = [];
  for (const [name, member] of members) {
    const isMap = name === 'mentions' || name.startsWith('notifyUsers');
    if (gone.has(name) && (inMap || !(isMap || name === 'userId'))) continue;
    const rest = left(member, gone, isMap);
    if (rest !== undefined) kept.push([name, rest]);
  }
  return Object.fromEntries(kept);
}

interface TestRecord {
  readonly id: string;
  readonly actionUser: { readonly userId: string };
  readonly entityData: unknown;
  readonly [member: string]: unknown;
}

function records(random: RandomNumbers, count: number): TestRecord[] {
  return Array.from({ length: count }, (_, n) => ({
    id: `record-${String(100 + n)}`,
    featureType: random.oneOf(features),
    actionType: 'comment.add',
    actionUser: { userId: random.oneOf(people) },
    entityData: freeJson(random, 0) ?? 0,
    changes: { before: freeJson(random, 1), after: freeJson(random, 1) },
  }));
}

/** Returns the records of a document as text, by id. */
async function stored(tenant: TestTenant, { organizationId, documentId }: TestDocument) {
  const { data } = await tenant.ok<TestRecord[]>('/v2/activities/get', { organizationId, documentId });
  return new Map(data.map((record) => [record.id, textOf(record)]));
}

const textOf = ({ actionUser, entityData, changes }: Omit<TestRecord, 'id'>): string =>
  JSON.stringify({ actionUser, entityData, changes });

describe('records with random free JSON', () => {
  it.each([1, 2, 3, 4, 5, 6])(
    'lose all data of deleted users and no data of others (world %i)',
    async (seed) => {
      const random = randomNumbers(seed);
      const tenant = await aBusyTenant(api);
      const document = await aDocument(tenant);
      const world = records(random, 60);
      await addActivityLogs(tenant, document, world);
      const gone = new Set(people.filter(() => random.below(3) === 0).concat(random.oneOf(people)));
      expect(await carriedOut(api, await begunDeletion(api, tenant, { userIds: [...gone] }))).toEqual([]);
      const expected = world
        .filter(({ actionUser }) => !gone.has(actionUser.userId))
        .map(({ id, actionUser, entityData, changes }): [string, string] => [
          id,
          textOf({ actionUser, entityData: left(entityData, gone), changes: left(changes, gone) }),
        ]);
      const found = await stored(tenant, document);
      expect([...found.keys()].toSorted()).toEqual(expected.map(([id]) => id));
      for (const [id, text] of expected) expect({ id, text: found.get(id) }).toEqual({ id, text });
      // The index of named users contains no deleted user.
      const named = await api.database.sql<{ ext_id: string }>(
        `select distinct u.ext_id from record_user r join app_user u on u.id = r.user_id where r.api_key_id = $1`,
        [tenant.id],
      );
      expect(named.filter(({ ext_id }) => gone.has(ext_id))).toEqual([]);
      const dangling = await api.database.sql(
        `select from record_user r where r.api_key_id = $1 and not exists (
         select from activity a where a.id = r.record_id and r.user_id = any(a.mentioned))`,
        [tenant.id],
      );
      expect(dangling).toEqual([]);
    },
  );
});
