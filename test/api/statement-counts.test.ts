import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { endpoints } from '../../api/endpoints.ts';
import type { Endpoint } from '../../api/http/endpoint.ts';
import { startTestApi } from '../support/api.ts';
import type { Result } from '../support/client.ts';
import { anEndedDelivery } from '../support/deliveries.ts';
import { destructiveLast, inLeftWorlds } from '../support/left-worlds.ts';
import { populate, reachable, populateForOperators } from '../support/population.ts';
import { statementsOf } from '../support/statements.ts';
import { callerOf } from '../support/operations.ts';
import { about, kinds, type WorldIds } from '../support/world-ids.ts';
import { aWorld, type World } from '../support/world.ts';
import {
  at,
  existingIn,
  freshIn,
  itemsLike,
  kindOf,
  lists,
  operationOf,
  schemaOf,
  countedPath,
  withValue,
  type CountedList,
} from './counted-lists.ts';
import { inParts, items, pages, requests } from './counted-requests.ts';

/* Generated from the registry: covers every list of a request, and every page size. */

const api = await startTestApi();
afterAll(api.close);

// The process reads the page token key once, with the first page that has a successor.
beforeAll(async () => (await aWorld(api)).tenant.ok('/v2/jobs/list', { pageSize: 1 }));

/** The statements of a call in which every item succeeds. */
async function sentBy(world: World, endpoint: Endpoint, data: object): Promise<readonly string[]> {
  const sent = await statementsOf(async () => {
    const { status, text, body } = await callerOf(api, world.tenant, endpoint).call(
      countedPath(endpoint),
      data,
    );
    const done = status < 300 && (body.result?.failedCount ?? 0) === 0;
    if (!done) throw new Error(`${String(status)} ${text.slice(0, 2_000)}`);
  });
  return sent.map(({ text }) => text);
}

function expectAsMany(sent: readonly string[], expected: readonly string[], more = 0): void {
  const extra = sent.length - expected.length;
  // As lists, so that a failure shows the additional statements.
  if (extra < 0 || extra > more) expect(sent).toEqual(expected);
}

describe('the number of statements', () => {
  const inWorld = inLeftWorlds(api);

  async function expectSame(counted: CountedList, world: World): Promise<void> {
    const { endpoint, path, list, max } = counted;
    const steps = list.split('.');
    const name = steps.at(-1) ?? list;
    const request = requests[`${operationOf(endpoint)} ${list}`] ?? endpoint.example;
    const shown = at(request, steps);
    const item: unknown = items[list] ?? (Array.isArray(shown) ? (shown.at(-1) as unknown) : undefined);
    const known = item ?? (kinds[name] === undefined ? undefined : 'any');
    if (known === undefined || Number.isNaN(max)) {
      throw new Error(`Add to this test an item of ${list} for ${path}, and its max if the schema has none.`);
    }
    const kind = kindOf(name, known);
    const maxItems = reachable(kind, max);
    const countedList = `${operationOf(endpoint)} ${list}`;
    const fresh = freshIn.has(countedList) || (path.endsWith('/add') && !existingIn.has(countedList));
    if (list.includes('visibility.'))
      await world.tenant.ok('/v2/workspace/apikeyconfig/update', { enablePrivateComments: true });
    const existing = kind === undefined || fresh ? [] : await populate(world, kind, maxItems + 2);
    const send = async (items: number, ids: readonly string[]): Promise<readonly string[]> => {
      const data = withValue(request, steps, itemsLike(known, name, items, fresh));
      // The organization of the call stays that of the document.
      const own = list.endsWith('visibility.organizationIds') ? world.ids.organization.slice(0, 1) : [];
      const whose = kind === undefined || fresh ? world.ids : { ...world.ids, [kind]: [...own, ...ids] };
      if (countedList === 'workspace/emailsuppressions/delete emails')
        await world.tenant.ok('/v2/workspace/emailsuppressions/add', data as object);
      return sentBy(world, endpoint, about(whose, data));
    };
    // Runs the work of a first request, such as adding a named user.
    await send(1, existing.slice(maxItems + 1));
    const one = await send(1, existing.slice(maxItems));
    const more = inParts[countedList]?.(maxItems);
    expectAsMany(await send(maxItems, existing.slice(0, maxItems)), one, more);
  }

  it.each(destructiveLast(lists))('of $path is the same for 1 and for $max of $list', async (counted) =>
    inWorld((world) => expectSame(counted, world)),
  );
});

/** Returns the items of a page: a list, or a record whose members are ids. */
function itemsOf(result: Result<object | undefined>): number {
  const data = result.data ?? result;
  const list = Object.values(data).find((member) => Array.isArray(member)) as unknown[] | undefined;
  return Object.keys(list ?? data).length;
}

const paged = endpoints.flatMap((endpoint) =>
  Object.entries(schemaOf(endpoint).properties ?? {})
    .filter(([name]) => name === 'pageSize' || name === 'limit')
    .map(([name, { maximum = Number.NaN }]) => ({ endpoint, path: countedPath(endpoint), name, maximum })),
);

const populated: readonly (keyof WorldIds)[] = [
  'organization',
  'folder',
  'document',
  'user',
  'activity',
  'notification',
  'recording',
  'annotation',
  'editor',
  'execution',
  'apiKey',
  'endpoint',
  'message',
  'operatorToken',
];

/** Records per kind: enough to detect a statement per item of a page. */
const population = 30;

async function populateDeliveries({ tenant, ids }: World): Promise<void> {
  const [notificationId = ''] = ids.notification;
  const [userId = ''] = ids.user;
  for (let count = 0; count < population; count += 1)
    await anEndedDelivery(api, { tenantId: tenant.id, notificationId, userId });
}

describe('the number of statements of a page', () => {
  let made: Promise<World> | undefined;
  const world = async (): Promise<World> =>
    (made ??= aWorld(api).then(async (empty) => {
      for (const kind of populated) await populate(empty, kind, population);
      await populateForOperators(api.database);
      await populateDeliveries(empty);
      await api.database.sql(
        `insert into usage_hour (api_key_id, starts_at) select $1, now() - n * interval '1 hour' from generate_series(1, 30) n`,
        [empty.tenant.id],
      );
      return empty;
    }));

  it.each(paged)(
    'of $path is the same for 1 item and for $maximum',
    async ({ endpoint, path, name, maximum }) => {
      const { tenant, ids } = await world();
      const data = about(ids, pages[operationOf(endpoint)] ?? endpoint.example);
      const send = async (size: number) => sentBy(await world(), endpoint, { ...data, [name]: size });
      const found = itemsOf(await callerOf(api, tenant, endpoint).ok<object | undefined>(path, data));
      expect(found).toBeGreaterThan(2);
      const more = inParts[`${operationOf(endpoint)} ${name}`]?.(
        itemsOf(
          await callerOf(api, tenant, endpoint).ok<object | undefined>(path, { ...data, [name]: maximum }),
        ),
      );
      expectAsMany(await send(maximum), await send(1), more);
    },
  );

  it('of /v2/users/data/get is the same for 1 record of a kind and for a full page', async () => {
    const endpoint = endpoints.find((one) => countedPath(one) === '/v2/users/data/get');
    if (endpoint === undefined) throw new Error('The operation is gone.');
    const fresh = await aWorld(api);
    const one = await sentBy(fresh, endpoint, about(fresh.ids, endpoint.example));
    for (const kind of ['document', 'activity', 'notification', 'editor', 'execution'] as const) {
      await populate(fresh, kind, 99);
    }
    expectAsMany(await sentBy(fresh, endpoint, about(fresh.ids, endpoint.example)), one);
  });
});
