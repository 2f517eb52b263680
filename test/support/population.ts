import type { TestDatabase } from './database.ts';
import { operatorToken } from './environment.ts';
import { activities, addActivityLogs, anOperatorToken, freshId } from './factories.ts';
import type { WorldIds } from './world-ids.ts';
import type { World } from './world.ts';

/** Number of items of a kind that need one call each, instead of the max of a batch, which would take minutes. */
const maxByCalls = 100;

/** Concurrent calls. */
const concurrency = 10;

type Populate = (world: World, ids: readonly string[]) => Promise<readonly string[] | void>;

/** Kinds that one call adds. */
const together: Partial<Record<keyof WorldIds, Populate>> = {
  organization: async ({ tenant }, ids) => {
    await tenant.ok('/v2/organizations/add', {
      organizations: ids.map((organizationId) => ({ organizationId })),
    });
  },
  folder: async ({ tenant, ids: { organization } }, ids) => {
    await tenant.ok('/v2/organizations/folders/add', {
      organizationId: organization[0],
      folders: ids.map((folderId) => ({ folderId })),
    });
  },
  document: async ({ tenant, ids: { organization } }, ids) => {
    await tenant.ok('/v2/organizations/documents/add', {
      organizationId: organization[0],
      documents: ids.map((documentId) => ({ documentId })),
    });
  },
  user: async ({ tenant, ids: { organization, document, userGroup } }, ids) => {
    const organizationId = organization[0];
    const users = ids.map((userId) => ({ userId, name: 'Ada' }));
    await tenant.ok('/v2/users/add', { organizationId, users });
    await tenant.ok('/v2/users/add', { organizationId, documentId: document[0], users });
    await tenant.ok('/v2/organizations/usergroups/users/add', {
      organizationId,
      organizationUserGroupId: userGroup[0],
      userIds: ids,
    });
  },
  userGroup: async ({ tenant, ids: { organization } }, ids) => {
    await tenant.ok('/v2/organizations/usergroups/add', {
      organizationId: organization[0],
      organizationUserGroups: ids.map((organizationUserGroupId) => ({
        organizationUserGroupId,
        groupName: 'Designers',
      })),
    });
  },
  activity: async ({ tenant, ids: { organization, document, user } }, ids) =>
    addActivityLogs(
      tenant,
      { organizationId: organization[0] ?? '', documentId: document[0] ?? '' },
      activities(ids.length, { actionUser: { userId: user[0] } }),
    ),
  recording: async ({ tenant, ids: { organization, document, user } }, ids) => {
    const from = { userId: user[0] };
    await tenant.ok('/v2/recordings/add', {
      organizationId: organization[0],
      documentId: document[0],
      recordings: ids.map((annotationId) => ({ annotationId, from, recordingType: 'audio' })),
    });
  },
  annotation: async ({ tenant, ids: { organization, document, user } }, ids) => {
    const commentData = [{ from: { userId: user[0] }, commentText: 'Really?' }];
    await tenant.ok('/v2/commentannotations/add', {
      organizationId: organization[0],
      documentId: document[0],
      commentAnnotations: ids.map((annotationId) => ({ annotationId, commentData })),
    });
  },
};

/** Inserts rows that only operators see: processes, undispatched events of each key, and poison events. */
export async function populateForOperators({ sql }: Pick<TestDatabase, 'sql'>): Promise<void> {
  await sql(`insert into process (id, kind, version, build_id, host, started_at)
    select 'proc_' || n, 'worker', '1', 'build', 'host', now() from generate_series(1, 30) n`);
  await sql('insert into outbox (api_key_id, event_id, event_at) select id, -id, now() from api_key');
  await sql(
    `insert into poison_event (api_key_id, event_id, event_at, reason) select api_key_id, id, at, 'test' from event limit 30`,
  );
}

type PopulateOne = (world: World, id: string) => Promise<string | void>;

/** Kinds that need one call each. */
const oneByOne: Partial<Record<keyof WorldIds, PopulateOne>> = {
  apiKey: async ({ tenant }) => {
    const key = { ownerEmail: 'owner@example.com', type: 'testing' };
    const { data } = await tenant.workspace.ok<{ apiKey: string }>('/v2/workspace/apikey/create', key);
    return data.apiKey;
  },
  notification: async ({ tenant, ids: { organization, document, user } }, notificationId) => {
    await tenant.ok('/v2/notifications/add', {
      organizationId: organization[0],
      documentId: document[0],
      notificationId,
      actionUser: { userId: user[0] },
      displayHeadlineMessageTemplate: '{actionUser} wrote',
      displayBodyMessage: 'Ada wrote.',
      notifyUsers: [{ userId: user[0] }],
    });
  },
  editor: async ({ tenant, ids: { organization, document } }, editorId) => {
    await tenant.ok('/v2/crdt/add', {
      organizationId: organization[0],
      documentId: document[0],
      editorId,
      type: 'map',
      data: { title: 'Plan' },
    });
  },
  execution: async ({ tenant, ids: { organization, document, agent } }, executionId) => {
    await tenant.ok('/v2/agents/execution/add', {
      agentId: agent[0],
      executionId,
      organizationId: organization[0],
      documentId: document[0],
    });
  },
  endpoint: async ({ tenant }) => {
    const path = '/v2/workspace/advancedwebhook/endpoints/create';
    return (await tenant.ok<{ id: string }>(path, { url: 'http://127.0.0.1/' })).data.id;
  },
  operatorToken: async ({ tenant }) =>
    (await anOperatorToken(tenant.with({ 'x-svc-operator-token': operatorToken }))).tokenId,
  message: async ({ tenant, ids: { endpoint } }) => {
    const path = '/v2/workspace/advancedwebhook/endpoints/test';
    return (await tenant.ok<{ messageId: string }>(path, { endpointId: endpoint[0] })).data.messageId;
  },
};

/** Returns the number of items of a kind that `populate` adds for an operation that accepts `max`. */
export const reachable = (kind: keyof WorldIds | undefined, max: number): number =>
  kind !== undefined && oneByOne[kind] !== undefined ? Math.min(max, maxByCalls) : max;

/** Adds `count` items of a kind to a world. Returns their ids, which are invented for kinds that need no row. */
export async function populate(
  world: World,
  kind: keyof WorldIds,
  count: number,
): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, () => freshId(kind));
  const one = oneByOne[kind];
  const added: string[] = [];
  for (let from = 0; from < count; from += one === undefined ? 1_000 : concurrency) {
    const some = ids.slice(from, from + (one === undefined ? 1_000 : concurrency));
    const given =
      one === undefined
        ? ((await together[kind]?.(world, some)) ?? some)
        : await Promise.all(some.map(async (id) => (await one(world, id)) ?? id));
    added.push(...given);
  }
  return added;
}
