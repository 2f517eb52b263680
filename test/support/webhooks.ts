import { createEndpoint } from '../../domain/webhooks/endpoints/create-endpoint.ts';
import type { NewWebhookEndpoint } from '../../domain/webhooks/provider.ts';
import { recordEvents, type NewEvent } from '../../domain/events/record-events.ts';
import type { TestApi } from './api.ts';
import { aTenant, withActivityLogs, type TestTenant } from './factories.ts';
import { transacted } from './in-transaction.ts';

/** Creates a key with advanced webhooks on. */
export async function aListeningTenant(api: TestApi, configuration: object = {}): Promise<TestTenant> {
  const tenant = await aTenant(api);
  await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true, ...configuration });
  return tenant;
}

/** Adds an endpoint. Returns its public id. */
export async function anEndpoint(
  api: TestApi,
  tenant: TestTenant,
  url: string,
  members: Partial<NewWebhookEndpoint> = {},
): Promise<string> {
  const endpoint = await transacted(api.orm, async (em) =>
    createEndpoint(em, api.keyRing, tenant.id, { url, disabled: false, ...members }),
  );
  return endpoint.id;
}

/** Turns on all services that comments can trigger: activity logs, notifications, and webhooks to an endpoint. */
export async function withListeners(tenant: TestTenant, api: TestApi): Promise<TestTenant> {
  await withActivityLogs(tenant);
  await tenant.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
  await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
  await anEndpoint(api, tenant, 'http://127.0.0.1/');
  return tenant;
}

/** Records events in one transaction, like a write of the product. */
export async function happened(
  api: TestApi,
  tenant: TestTenant,
  events: readonly Partial<NewEvent>[],
): Promise<void> {
  await transacted(api.orm, async (em) =>
    recordEvents(
      em,
      tenant.id,
      events.map((event) => ({
        type: 'comment.add',
        organization: null,
        document: null,
        channels: ['acme', 'plan'],
        payload: { featureType: 'comment', actionType: 'comment.add', actionUser: { userId: 'u1' } },
        users: [],
        ...event,
      })),
    ),
  );
}
