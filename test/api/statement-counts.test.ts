import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { endpoints } from '../../api/endpoints.ts';
import type { Endpoint } from '../../api/http/endpoint.ts';
import { startTestApi } from '../support/api.ts';
import type { Result } from '../support/client.ts';
import { anEndedDelivery } from '../support/deliveries.ts';
import { freshId } from '../support/factories.ts';
import { destructiveLast, inLeftWorlds } from '../support/left-worlds.ts';
import { populate, reachable, populateForOperators } from '../support/population.ts';
import { statementsOf } from '../support/statements.ts';
import { about, aWorld, callerOf, kinds, type World, type WorldIds } from '../support/world.ts';

/* Generated from the registry: every list that a request may have, and every page size, is walked. */

const api = await startTestApi();
afterAll(api.close);

// The process reads the page token key once, with the first page that has a successor.
beforeAll(async () => (await aWorld(api)).tenant.ok('/v2/jobs/list', { pageSize: 1 }));

type Kind = keyof WorldIds;
type Data = Readonly<Record<string, unknown>>;

interface JsonSchema {
  readonly type?: string;
  readonly maxItems?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly anyOf?: readonly JsonSchema[];
}

const schemaOf = ({ data }: Endpoint): JsonSchema =>
  z.toJSONSchema(data, { io: 'input', unrepresentable: 'any' }) as JsonSchema;

/** The lists of a request by their path, like `permissions.resources` and `notifications.0.notifyUsers`, with their max. */
function listsOf(schema: JsonSchema, path: readonly string[] = []): [string, number | undefined][] {
  const { type, items, maxItems, properties = {}, anyOf = [] } = schema;
  return [
    ...(type === 'array' ? [[path.join('.'), maxItems] as [string, number | undefined]] : []),
    ...(items === undefined ? [] : listsOf(items, [...path, '0'])),
    ...Object.entries(properties).flatMap(([name, member]) => listsOf(member, [...path, name])),
    ...anyOf.flatMap((member) => listsOf(member, path)),
  ];
}

const walkedPath = ({ paths }: Endpoint): string => paths.at(-1) ?? paths[0];
const operationOf = (endpoint: Endpoint): string => walkedPath(endpoint).replace(/^\/v\d\//, '');

/** Lists whose schema does not contain their max. */
const statedElsewhere: Readonly<Record<string, number>> = { 'filters.0.value': 30 };

/** An item of a list that no example of an operation has, or that its other items say better. */
const items: Readonly<Record<string, unknown>> = {
  allowedDomains: 'https://www.example.com',
  apiKeys: 'key_any',
  featureTypes: 'comment',
  actionTypes: 'comment.add',
  filters: { key: 'team', operator: '==', value: 'blue' },
  'filters.0.value': 'blue',
  filterTypes: 'comment.add',
  eventTypes: 'comment.add',
  channels: 'blue',
  notifyUsers: { userId: 'u2' },
  'notifications.0.notifyUsers': { userId: 'u2' },
  agentIds: 'summariser',
  'commentAnnotations.0.comments': { from: { userId: 'u1' } },
  'commentAnnotations.0.commentData': { from: { userId: 'u1' } },
  'commentAnnotations.0.actions': { id: 'go' },
  'updatedData.actions': { id: 'go' },
  updateUsers: { oldUser: { userId: 'u1' }, newUser: { userId: 'u2' } },
  agentUrls: 'https://example.com/',
  commentIds: 1,
  commentData: { from: { userId: 'u1' } },
  comments: { from: { userId: 'u1' } },
  ...Object.fromEntries(
    [
      'commentAnnotations.0.commentData.0',
      'commentAnnotations.0.comments.0',
      'commentData.0',
      'comments.0',
      'updatedData',
    ].flatMap((comment) => [
      [`${comment}.taggedUserContacts`, { userId: 'u2' }],
      [`${comment}.attachments`, { attachmentId: 1 }],
      [`${comment}.actions`, { id: 'go' }],
      [`${comment}.progress.steps`, { label: 'Read' }],
    ]),
  ),
};

/** A request that adds one annotation. */
const annotationRequest = (annotation: Data): Data => ({
  organizationId: 'acme',
  documentId: 'plan',
  commentAnnotations: [annotation],
});

const u1 = { userId: 'u1' };

/** A request that adds comments to an annotation. */
const commentsRequest = (members: Data): Data => ({
  organizationId: 'acme',
  documentId: 'plan',
  annotationId: 'thread-1',
  ...members,
});

/** Requests with lists of comments to add, which need other members. */
const ofComments = (of: 'commentData' | 'comments'): Readonly<Record<string, Data>> => {
  const at = `commentannotations/add commentAnnotations.0.${of}`;
  const plain = annotationRequest({ [of]: [{ from: u1 }] });
  const progressing = annotationRequest({ [of]: [{ from: u1, progress: { state: 'active' } }] });
  return {
    [at]: annotationRequest({}),
    [`${at}.0.taggedUserContacts`]: plain,
    [`${at}.0.attachments`]: plain,
    [`${at}.0.actions`]: plain,
    [`${at}.0.progress.steps`]: progressing,
    [`${at}.0.progress.visibleToUserIds`]: progressing,
    ...ofAddedComments(of),
  };
};

/** The same for comments that are added to an annotation. */
const ofAddedComments = (of: 'commentData' | 'comments'): Readonly<Record<string, Data>> => {
  const at = `commentannotations/comments/add ${of}`;
  const plain = commentsRequest({ [of]: [{ from: u1 }] });
  const progressing = commentsRequest({ [of]: [{ from: u1, progress: { state: 'active' } }] });
  return {
    [at]: commentsRequest({}),
    [`${at}.0.taggedUserContacts`]: plain,
    [`${at}.0.attachments`]: plain,
    [`${at}.0.actions`]: plain,
    [`${at}.0.progress.steps`]: progressing,
    [`${at}.0.progress.visibleToUserIds`]: progressing,
  };
};

/** Requests with a list that members of the example exclude. */
const requests: Readonly<Record<string, Data>> = {
  ...ofComments('commentData'),
  ...ofComments('comments'),
  'commentannotations/add commentAnnotations.0.visibility.organizationIds': annotationRequest({
    commentData: [{ from: u1 }],
    visibility: { type: 'organizationPrivate' },
  }),
  'commentannotations/add commentAnnotations.0.visibility.userIds': annotationRequest({
    commentData: [{ from: u1 }],
    visibility: { type: 'restricted' },
  }),
  'organizations/documents/count/get filters': { organizationId: 'acme' },
  'organizations/documents/count/get filters.0.value': {
    organizationId: 'acme',
    filters: [{ key: 'team', operator: 'in', value: [] }],
  },
  'organizations/documents/get filters.0.value': {
    organizationId: 'acme',
    filters: [{ key: 'team', operator: 'in', value: [] }],
  },
  'commentannotations/delete locationIds': { organizationId: 'acme', documentId: 'plan' },
  'commentannotations/delete userIds': { organizationId: 'acme', documentId: 'plan' },
  'commentannotations/delete agentUrls': { organizationId: 'acme', documentId: 'plan' },
  'commentannotations/delete annotationIds': { organizationId: 'acme', documentId: 'plan' },
  'commentannotations/comments/delete userIds': commentsRequest({}),
  'commentannotations/comments/update userIds': commentsRequest({ updatedData: { context: {} } }),
  'commentannotations/comments/update updatedData.progress.visibleToUserIds': commentsRequest({
    updatedData: { progress: { state: 'active' } },
  }),
  ...Object.fromEntries(
    ['locationIds', 'userIds', 'annotationIds'].map((list) => [
      `commentannotations/update ${list}`,
      { organizationId: 'acme', documentId: 'plan', updatedData: { context: { a: 1 } } },
    ]),
  ),
  'commentannotations/update updatedData.visibility.organizationIds': {
    organizationId: 'acme',
    documentId: 'plan',
    updatedData: { visibility: { type: 'organizationPrivate' } },
  },
  'commentannotations/update updatedData.visibility.userIds': {
    organizationId: 'acme',
    documentId: 'plan',
    updatedData: { visibility: { type: 'restricted' } },
  },
  'commentannotations/update updateUsers': { organizationId: 'acme', documentId: 'plan' },
  'commentannotations/get documentIds': { organizationId: 'acme' },
  'commentannotations/get statusIds': { organizationId: 'acme' },
  'commentannotations/get annotationIds': { organizationId: 'acme', documentId: 'plan' },
  'notifications/get notificationIds': { organizationId: 'acme', documentId: 'plan' },
  'notifications/deliveries/get deliveryIds': { organizationId: 'acme' },
  'workspace/apikeys/get apiKeys': {},
  // Involved documents contain at most 30 users.
  'users/doc/get userIds': { organizationId: 'acme' },
  // One call names 1,000 users at most, in all of its members.
  'notifications/add notifyUsers': {
    organizationId: 'acme',
    documentId: 'plan',
    actionUser: { userId: 'u1' },
    displayHeadlineMessageTemplate: '{actionUser} wrote',
    displayBodyMessage: 'Is this the latest plan?',
  },
  'notifications/update notifications.0.notifyUsers': {
    organizationId: 'acme',
    notifications: [{ id: 'n1' }],
  },
};

/** Lists that contain fewer items here than their schema allows. */
const lower: Readonly<Record<string, number>> = {
  // One call names 1,000 users at most, with the author.
  'commentannotations/add commentAnnotations.0.visibility.userIds': 999,
  'commentannotations/add commentAnnotations.0.commentData.0.progress.visibleToUserIds': 999,
  'commentannotations/add commentAnnotations.0.comments.0.progress.visibleToUserIds': 999,
  // A key has 100 domains at most, two of which are those of the calls before.
  'workspace/domains/add domains': 98,
  // An annotation has 1,000 comments and involves 1,000 users at most, with those of the calls before.
  'commentannotations/comments/add commentData': 990,
  'commentannotations/comments/add comments': 990,
  'commentannotations/comments/add commentData.0.progress.visibleToUserIds': 990,
  'commentannotations/comments/add comments.0.progress.visibleToUserIds': 990,
};

/** Records of less than 1 KiB, of which at most 2 statements read each part. */
const partsOfPages = (items: number): number => 2 * Math.ceil(items / 256);

/**
 * Lists whose items are read in parts of 256 KiB by their estimated size, so that a page is never in memory as a whole:
 * what the statements beyond those for one item may be.
 */
const inParts: Readonly<Record<string, (items: number) => number>> = {
  'organizations/documents/get documentIds': partsOfPages,
  'users/get userIds': partsOfPages,
  'users/doc/get userIds': partsOfPages,
  // An annotation counts as 2 KiB, and its comments, reactions and people have a statement each.
  'commentannotations/get pageSize': (items) => 6 * Math.ceil(items / 64),
  // An API key counts as 8 KiB.
  'workspace/apikeys/get apiKeys': (items) => Math.ceil(items / 32) - 1,
  // An entry counts as 1 KiB and its values; each part is a transaction.
  'operator/auditlog/get pageSize': (items) => 6 * Math.ceil(items / 128),
  // A key or a workspace counts as 4 KiB.
  'operator/keys/list pageSize': (items) => Math.ceil(items / 64) - 1,
  'operator/workspaces/list pageSize': (items) => Math.ceil(items / 64) - 1,
};

/** Requests for pages of more items than the example has. */
const pages: Readonly<Record<string, Data>> = {
  'organizations/get': {},
  'organizations/documents/get': { organizationId: 'acme' },
  'organizations/folders/get': { organizationId: 'acme' },
  'users/get': { organizationId: 'acme', documentId: 'plan' },
  'users/doc/get': { organizationId: 'acme' },
  'commentannotations/get': { organizationId: 'acme' },
  'commentannotations/comments/get': { organizationId: 'acme', documentId: 'plan', annotationId: 'thread-1' },
  'crdt/get': { organizationId: 'acme', documentId: 'plan' },
  'recordings/get': { organizationId: 'acme' },
  'notifications/deliveries/get': { organizationId: 'acme' },
  'agents/execution/list': { organizationId: 'acme' },
  'jobs/list': {},
  'workspace/usage/get': { apiKey: 'key_any' },
  'operator/usage/get': { keyId: 'akid_any' },
  'workspace/advancedwebhook/endpoints/attempts/get': { endpointId: 'ep_any' },
  'workspace/advancedwebhook/endpoints/messages/get': { endpointId: 'ep_any' },
};

const at = (data: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => Object(value)[name] as unknown, data);

/** Returns `data` with another value at `path`. Adds missing items and objects on the path. */
function withValue(data: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  if (name === '0') return [withValue(at(data, ['0']) ?? {}, rest, value)];
  return { ...(data as Data), [name]: withValue(at(data, [name]), rest, value) };
}

/** The identity of a list's items: the item itself, or this member. */
function identityOf(list: string, item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  const members = ['id', `${list.replace(/s$/, '')}Id`, 'annotationId', 'userId', 'provider'];
  return members.find((member) => Object.hasOwn(item, member));
}

function kindOf(list: string, item: unknown): Kind | undefined {
  const identity = identityOf(list, item);
  if (identity === undefined) return kinds[list];
  return list === 'resources' ? 'document' : (kinds[`${list}.${identity}`] ?? kinds[identity]);
}

const providers = ['openai', 'anthropic', 'gemini'];

/** The `number`th value of a list, derived from `value`. */
function another(value: unknown, list: string, number: number, fresh: boolean): unknown {
  if (typeof value !== 'string' || ['featureTypes', 'scopes'].includes(list)) return value;
  if (list === 'emails') return `${freshId('address')}@example.com`;
  if (list.toLowerCase().endsWith('domains')) return `https://${freshId('host')}.example.com`;
  if (list === 'aiModelApiKey') return providers[number];
  return fresh ? `new-${freshId('item')}` : `${value}-${String(number)}`;
}

/** Returns `count` distinct items like the given one. Items that an operation adds are `fresh`. */
function itemsLike(item: unknown, list: string, count: number, fresh: boolean): readonly unknown[] {
  const identity = identityOf(list, item);
  return Array.from({ length: count }, (_, number) => {
    if (typeof item !== 'object' || item === null) return another(item, list, number, fresh);
    if (identity === undefined) return item;
    return { ...item, [identity]: another(at(item, [identity]), list, number, fresh) };
  });
}

/** Lists in additions whose items are not the added records. */
const existingIn: ReadonlySet<string> = new Set([
  'auth/permissions/add permissions.resources',
  'organizations/usergroups/users/add userIds',
]);

/** Lists in updates whose items are new in each call, since an update that changes nothing writes nothing. */
const freshIn: ReadonlySet<string> = new Set(['commentannotations/update updatedData.actions']);

interface WalkedList {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly list: string;
  readonly max: number;
}

/** Lists with which a repeated call writes nothing; the tests of these operations count their statements. */
const countedElsewhere: ReadonlySet<string> = new Set([
  // One statement reads a page by any filter: its own test compares them.
  'notifications/deliveries/get deliveryIds',
  'notifications/deliveries/get channels',
  'notifications/deliveries/get statuses',
  'commentannotations/comments/delete commentIds',
  'commentannotations/comments/update updatedData.attachments',
  'commentannotations/comments/update updatedData.actions',
  'commentannotations/comments/update updatedData.progress.steps',
]);

const listsToWalk = (endpoint: Endpoint) =>
  listsOf(schemaOf(endpoint)).filter(([list]) => !countedElsewhere.has(`${operationOf(endpoint)} ${list}`));

const lists: readonly WalkedList[] = endpoints.flatMap((endpoint) =>
  listsToWalk(endpoint).map(([list, max]) => ({
    endpoint,
    path: walkedPath(endpoint),
    list,
    max: lower[`${operationOf(endpoint)} ${list}`] ?? max ?? statedElsewhere[list] ?? Number.NaN,
  })),
);

/** The statements of a call in which every item succeeds. */
async function sentBy(world: World, endpoint: Endpoint, data: object): Promise<readonly string[]> {
  const sent = await statementsOf(async () => {
    const { status, text, body } = await callerOf(api, world.tenant, endpoint).call(
      walkedPath(endpoint),
      data,
    );
    const done = status < 300 && (body.result?.failedCount ?? 0) === 0;
    if (!done) throw new Error(`${String(status)} ${text.slice(0, 2_000)}`);
  });
  return sent.map(({ text }) => text);
}

function expectAsMany(sent: readonly string[], expected: readonly string[], more = 0): void {
  const extra = sent.length - expected.length;
  // As lists, so that a failure shows which ones were sent beside the others.
  if (extra < 0 || extra > more) expect(sent).toEqual(expected);
}

describe('the number of statements', () => {
  const inWorld = inLeftWorlds(api);

  async function expectSame(walked: WalkedList, world: World): Promise<void> {
    const { endpoint, path, list, max } = walked;
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
    const most = reachable(kind, max);
    const walkedList = `${operationOf(endpoint)} ${list}`;
    const fresh = freshIn.has(walkedList) || (path.endsWith('/add') && !existingIn.has(walkedList));
    if (list.includes('visibility.'))
      await world.tenant.ok('/v2/workspace/apikeyconfig/update', { enablePrivateComments: true });
    const existing = kind === undefined || fresh ? [] : await populate(world, kind, most + 2);
    const send = async (items: number, ids: readonly string[]): Promise<readonly string[]> => {
      const data = withValue(request, steps, itemsLike(known, name, items, fresh));
      // The organization of the call stays that of the document.
      const own = list.endsWith('visibility.organizationIds') ? world.ids.organization.slice(0, 1) : [];
      const whose = kind === undefined || fresh ? world.ids : { ...world.ids, [kind]: [...own, ...ids] };
      if (walkedList === 'workspace/emailsuppressions/delete emails')
        await world.tenant.ok('/v2/workspace/emailsuppressions/add', data as object);
      return sentBy(world, endpoint, about(whose, data));
    };
    // Runs the work of a first request, such as adding a named user.
    await send(1, existing.slice(most + 1));
    const one = await send(1, existing.slice(most));
    const more = inParts[walkedList]?.(most);
    expectAsMany(await send(most, existing.slice(0, most)), one, more);
  }

  it.each(destructiveLast(lists))('of $path is the same for 1 and for $max of $list', async (walked) =>
    inWorld((world) => expectSame(walked, world)),
  );
});

/** Items of a page: of its list, or of the record that has them by their ids. */
function itemsOf(result: Result<object | undefined>): number {
  const data = result.data ?? result;
  const list = Object.values(data).find((member) => Array.isArray(member)) as unknown[] | undefined;
  return Object.keys(list ?? data).length;
}

const paged = endpoints.flatMap((endpoint) =>
  Object.entries(schemaOf(endpoint).properties ?? {})
    .filter(([name]) => name === 'pageSize' || name === 'limit')
    .map(([name, { maximum = Number.NaN }]) => ({ endpoint, path: walkedPath(endpoint), name, maximum })),
);

const populated: readonly Kind[] = [
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
    const endpoint = endpoints.find((one) => walkedPath(one) === '/v2/users/data/get');
    if (endpoint === undefined) throw new Error('The operation is gone.');
    const fresh = await aWorld(api);
    const one = await sentBy(fresh, endpoint, about(fresh.ids, endpoint.example));
    for (const kind of ['document', 'activity', 'notification', 'editor', 'execution'] as const) {
      await populate(fresh, kind, 99);
    }
    expectAsMany(await sentBy(fresh, endpoint, about(fresh.ids, endpoint.example)), one);
  });
});
