import { endpoints } from '../../../api/endpoints.ts';
import type { Endpoint } from '../../../api/http/endpoint.ts';
import { fanOut } from '../../../domain/webhooks/delivery/fan-out.ts';
import { inTransaction } from '../../../platform/database/orm.ts';
import type { TestApi } from '../../support/api.ts';
import { anEndedDelivery } from '../../support/deliveries.ts';
import { sceneOf } from '../../support/example-scenes.ts';
import { addActivityLogs, freshId, type TestDocument, type TestTenant } from '../../support/factories.ts';
import { responding, type Receiver } from '../../support/receiver.ts';
import { about, type WorldIds } from '../../support/world-ids.ts';
import { aWorld } from '../../support/world.ts';
import { randomOf, type Random } from '../permissions/random-worlds.ts';
import { aKnownPerson } from './free-json.ts';
import { RandomRequests, type Cast } from './random-requests.ts';
import { writeRareRecords } from './rare-records.ts';

/** Mutating operations of a key that no world calls, with the reason. */
export const notCalled: Readonly<Record<string, string>> = {
  '/v2/users/data/delete': 'the act under test',
  '/v2/jobs/cancel': 'has only the id of a job',
  '/v2/rewriter/ask-ai': 'stores nothing, and needs a provider',
  '/v2/organizations/delete': 'removes the records of the world',
  '/v2/organizations/access/disablestate/update': 'closes the organization for all other calls',
};

const pathOf = ({ paths }: Endpoint): string => paths[0];

/** Operations that worlds call, by their first paths. */
export const called: readonly Endpoint[] = endpoints.filter(
  (endpoint) =>
    endpoint.mutates &&
    endpoint.credentials === 'apiKey' &&
    !Object.hasOwn(notCalled, pathOf(endpoint).replace('/v1/', '/v2/')),
);

const removing = /\/(?:delete|remove|migrate|disablestate\/update)$/u;
const settings = /config\/(?:update|test)$/u;

/** Operations that add a record with an id of the customer's, and the kind of that id. */
const addedKinds: Readonly<Record<string, keyof WorldIds>> = {
  '/v2/organizations/add': 'organization',
  '/v2/organizations/usergroups/add': 'userGroup',
  '/v2/notifications/add': 'notification',
  '/v2/commentannotations/add': 'annotation',
  '/v2/crdt/add': 'editor',
  '/v2/agents/execution/add': 'execution',
  '/v2/recordings/add': 'recording',
};

/** A tenant with random records, two people in them, and what its operations accepted. */
export interface RandomWorld {
  readonly tenant: TestTenant;
  readonly cast: Cast;
  /** The first paths of operations that accepted a request with people. */
  readonly accepted: ReadonlySet<string>;
}

export interface Stage {
  readonly api: TestApi;
  readonly receiver: Receiver;
}

/** Returns a random order. */
function shuffled<Item>(random: Random, items: readonly Item[]): Item[] {
  return items
    .map((item): [number, Item] => [random(), item])
    .toSorted(([a], [b]) => a - b)
    .map(([, item]) => item);
}

/** Writes random records of every kind, by calls of every operation that writes any. */
export async function aRandomWorld(stage: Stage, seed: number): Promise<RandomWorld> {
  const random = randomOf(seed);
  const { tenant, ids } = await aWorld(stage.api);
  const mark = `${String(seed)}-${freshId('x').slice(2, 8)}`;
  const cast: Cast = {
    named: aKnownPerson(`named${mark}`),
    told: aKnownPerson(`told${mark}`),
    others: [ids.user[0] ?? '', `other-${mark}`],
  };
  const [organizationId = ''] = ids.organization;
  const [documentId = ''] = ids.document;
  await introduce(tenant, { organizationId, documentId }, cast);
  const requests = new RandomRequests(random, cast);
  await writeRareRecords(tenant, { organizationId, documentId }, cast, requests);
  stage.receiver.behave((delivered, response) => {
    const said = JSON.stringify({ got: requests.json(), said: requests.text() });
    responding(200, {}, said)(delivered, response);
  });
  const accepted = new Set<string>();
  for (const endpoint of inOrder(random)) {
    const path = pathOf(endpoint);
    const scene = await sceneOf(path)?.(stage, { tenant, ids });
    const own = addedKinds[path.replace('/v1/', '/v2/')];
    const fresh = own === undefined || random() < 0.2 ? {} : { [own]: [freshId(own), freshId(own)] };
    const example = about({ ...ids, ...scene, ...fresh }, endpoint.example);
    // Members of a valid request may still contradict records.
    for (let tries = 0; tries < 3; tries += 1) {
      const data = requests.requestOf(endpoint, example);
      if (data === undefined) break;
      const idempotencyKey = random() < 0.2 ? `retry-${cast.told.userId}-${freshId('call')}` : undefined;
      const { status } = await tenant.call(
        path,
        data,
        idempotencyKey === undefined ? {} : { idempotencyKey },
      );
      if (status >= 300) continue;
      accepted.add(path);
      break;
    }
  }
  await deliver(stage, tenant, ids, cast);
  return { tenant, cast, accepted };
}

/** Every operation in a random order; those that add records twice. Removals come last, and settings after them, twice. */
function inOrder(random: Random): Endpoint[] {
  const writing = called.filter(
    (endpoint) => !removing.test(pathOf(endpoint)) && !settings.test(pathOf(endpoint)),
  );
  const adding = writing.filter((endpoint) => pathOf(endpoint).endsWith('/add'));
  const removals = called.filter((endpoint) => removing.test(pathOf(endpoint)) && random() < 0.4);
  const setting = called.filter((endpoint) => settings.test(pathOf(endpoint)));
  return [
    ...shuffled(random, [...writing, ...adding]),
    ...shuffled(random, removals),
    ...setting,
    ...setting,
  ];
}

/** Creates the people, one address after the other. The last address is in a record only. */
async function introduce(tenant: TestTenant, location: TestDocument, cast: Cast): Promise<void> {
  const { organizationId } = location;
  const [other] = cast.others;
  await tenant.ok('/v2/workspace/emailconfig/update', { useEmailService: true });
  for (const { userId, name, addresses } of [cast.named, cast.told]) {
    const [now, former, never] = addresses;
    await tenant.ok('/v2/users/add', { organizationId, users: [{ userId, name, email: former }] });
    await tenant.ok('/v2/users/update', { organizationId, users: [{ userId, email: now }] });
    await addActivityLogs(tenant, location, [
      {
        featureType: 'comment',
        actionType: 'comment.add',
        actionUser: { userId: other },
        entityData: { by: { userId, email: never } },
      },
    ]);
  }
}

/** Random responses rarely name both people, and random calls disable endpoints and hold their messages. */
async function respondWithBoth(receiver: Receiver, tenant: TestTenant, { named, told }: Cast): Promise<void> {
  const path = '/v2/workspace/advancedwebhook/endpoints';
  await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true, encryptData: false });
  receiver.behave(responding(200, {}, JSON.stringify({ by: { userId: named.userId }, said: told.userId })));
  const { data } = await tenant.ok<{ id: string }>(`${path}/create`, { url: receiver.url });
  await tenant.ok(`${path}/test`, { endpointId: data.id });
}

/** Delivers what the records caused: messages to receivers, whose responses are kept, and an e-mail. */
async function deliver(
  { api, receiver }: Stage,
  tenant: TestTenant,
  ids: WorldIds,
  cast: Cast,
): Promise<void> {
  const [endpointId] = ids.endpoint;
  const at = '/v2/workspace/advancedwebhook/endpoints';
  await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
  await tenant.call(`${at}/update`, { endpointId, url: receiver.url });
  await tenant.call(`${at}/test`, { endpointId });
  await respondWithBoth(receiver, tenant, cast);
  await inTransaction(api.orm, async (em) =>
    fanOut(em, { tenantId: tenant.id, batchSize: 100, maxMessages: 100, kinds: [0, 1, 2], firstWaitMs: 0 }),
  );
  const [notificationId = ''] = ids.notification;
  await anEndedDelivery(api, { tenantId: tenant.id, notificationId, userId: cast.named.userId });
}
