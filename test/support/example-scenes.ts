import { expect } from '@jest/globals';
import { fanOut } from '../../domain/webhooks/delivery/fan-out.ts';
import { jobStatusNumbers } from '../../domain/jobs/job.entity.ts';
import { inTransaction } from '../../platform/database/orm.ts';
import type { TestApi } from './api.ts';
import { anEndedDelivery } from './deliveries.ts';
import { eventually } from './eventually.ts';
import { freshId } from './factories.ts';
import type { Receiver } from './receiver.ts';
import { happened } from './webhooks.ts';
import type { World } from './world.ts';

/** An API that may call a receiver on this machine. */
export interface Stage {
  readonly api: TestApi;
  readonly receiver: Receiver;
}

/** Prepares a world for an example, so that its response has items. Returns ids instead of those of the world. */
type Scene = (stage: Stage, world: World) => Promise<Partial<World['ids']>>;

const withDomain: Scene = async (_stage, { tenant }) => {
  await tenant.workspace.ok(
    '/v2/workspace/domains/add',
    { domains: ['example.com'] },
    { headers: tenant.headers },
  );
  return {};
};

const withSuppression: Scene = async (_stage, { tenant }) => {
  await tenant.ok('/v2/workspace/emailsuppressions/add', { emails: ['gone@example.com'] });
  return {};
};

/** A pending message of an endpoint. */
const withMessage: Scene = async ({ api }, { tenant }) => {
  await happened(api, tenant, [{}]);
  await inTransaction(api.orm, async (em) =>
    fanOut(em, { tenantId: tenant.id, batchSize: 10, maxMessages: 10, kinds: [0, 1, 2], firstWaitMs: 0 }),
  );
  return {};
};

/** A poison event. */
const withPoisonEvent: Scene = async ({ api }, { tenant }) => {
  await happened(api, tenant, [{}]);
  const [found] = await api.database.sql<{ public_id: string }>(
    `with taken as (delete from outbox where api_key_id = $1 returning *),
     poison as (insert into poison_event (api_key_id, event_id, event_at, attempts, reason)
       select api_key_id, event_id, event_at, 5, 'integrity constraint (23505)' from taken order by event_id desc limit 1
       returning event_id)
     select public_id from poison join event on event.id = poison.event_id`,
    [tenant.id],
  );
  return { message: [found?.public_id ?? ''] };
};

const withRunningJob: Scene = async ({ api }, { ids }) => {
  await api.database.sql('update job set status = $2, started_at = now() where public_id = any($1)', [
    ids.job,
    jobStatusNumbers.in_progress,
  ]);
  return {};
};

/** An endpoint whose receiver responds with 204. */
const withReceiver: Scene = async ({ receiver }, { tenant, ids }) => {
  const [endpointId] = ids.endpoint;
  await tenant.ok('/v2/workspace/advancedwebhook/endpoints/update', { endpointId, url: receiver.url });
  return {};
};

const withAttempt: Scene = async (stage, world) => {
  await withReceiver(stage, world);
  const [endpointId] = world.ids.endpoint;
  await world.tenant.ok('/v2/workspace/advancedwebhook/endpoints/test', { endpointId });
  return {};
};

/** Waits until the process has stored its counts, which it does at intervals of seconds. */
const withUsage: Scene = async (_stage, { tenant }) => {
  await eventually(async () => {
    const { data } = await tenant.workspace.ok<{ created: { recordings: number; reactions: number } }[]>(
      '/v2/workspace/usage/get',
      { apiKey: tenant.apiKey, by: 'day' },
    );
    const counted = (name: 'recordings' | 'reactions') =>
      data.reduce((sum, { created }) => sum + created[name], 0);
    expect([counted('recordings'), counted('reactions')]).toEqual([1, 1]);
  });
  return {};
};

/** Adds names that the prefixes of searches find. */
const withNames: Scene = async (_stage, { tenant, ids }) => {
  const [organizationId] = ids.organization;
  const [documentId] = ids.document;
  await tenant.ok('/v2/organizations/update', {
    organizations: [{ organizationId, organizationName: 'Acme' }],
  });
  await tenant.ok('/v2/organizations/documents/update', {
    organizationId,
    documents: [{ documentId, documentName: 'Plan for 2027' }],
  });
  return {};
};

const withDelivery: Scene = async ({ api }, { tenant, ids }) => {
  const [notificationId = ''] = ids.notification;
  const [userId = ''] = ids.user;
  await anEndedDelivery(api, { tenantId: tenant.id, notificationId, userId });
  return {};
};

const scenes: Readonly<Record<string, Scene>> = {
  '/v2/organizations/documents/add': async () => ({ document: [freshId('document'), freshId('document')] }),
  '/v2/organizations/folders/add': async () => ({ folder: [freshId('folder'), freshId('folder')] }),
  '/v2/organizations/search': withNames,
  '/v2/organizations/documents/search': withNames,
  '/v2/users/search': withNames,
  '/v2/notifications/deliveries/get': withDelivery,
  '/v2/notifications/explain': withDelivery,
  '/v2/jobs/list': withRunningJob,
  '/v2/workspace/jobs/list': withRunningJob,
  '/v2/usage/get': withUsage,
  '/v2/workspace/usage/get': withUsage,
  '/v2/operator/usage/get': withUsage,
  '/v2/workspace/advancedwebhook/endpoints/update': withReceiver,
  '/v2/workspace/advancedwebhook/endpoints/test': withReceiver,
  '/v2/workspace/advancedwebhook/endpoints/attempts/get': withAttempt,
  '/v2/workspace/advancedwebhook/endpoints/stats/get': withAttempt,
  '/v2/workspace/advancedwebhook/endpoints/messages/get': withMessage,
  '/v2/workspace/domains/get': withDomain,
  '/v2/workspace/domains/delete': withDomain,
  '/v2/workspace/emailsuppressions/get': withSuppression,
  '/v2/workspace/emailsuppressions/delete': withSuppression,
  '/v2/operator/events/poison/list': withPoisonEvent,
  '/v2/operator/events/poison/retry': withPoisonEvent,
  '/v2/operator/events/poison/discard': withPoisonEvent,
};

/** Prepares the example of an operation. Most need nothing beyond the world. */
export const sceneOf = (path: string): Scene | undefined => scenes[path.replace(/^\/v[12]/, '/v2')];
