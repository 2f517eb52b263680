import { callHash } from '../../domain/idempotency/idempotent-request.ts';
import { messages } from '../../domain/messages.ts';
import type { Tenant } from '../../domain/tenancy/tenant.ts';
import { embeddedReads, embeddedWrites } from '../../domain/webhooks/endpoints/embedded-endpoints.ts';
import type { SvixProvider, WebhookReads, WebhookWrites } from '../../domain/webhooks/provider.ts';
import { findOpenApplication } from '../../domain/webhooks/provisioning/application.ts';
import { requireAdvancedWebhooks } from '../../domain/webhooks/require-enabled.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { OutsideSteps, ReadWork, Work } from '../http/endpoint.ts';
import { TransportError } from '../http/response/transport-error.ts';

/** Errors that every advanced webhook operation may return. */
export const endpointErrors = ['FAILED_PRECONDITION', 'NOT_FOUND', 'UNAVAILABLE'] as const;

interface KeyCall<Data> {
  readonly tenant: Tenant;
  readonly data: Data;
}

/** `callId` is the same in all calls with the same Idempotency-Key; undefined without one. */
type Act<Data, Result> = (endpoints: WebhookWrites, data: Data, callId?: string) => Promise<Result>;

/** The endpoints of the caller's key, for operations that only read. */
export async function endpointsToRead(tenant: Tenant, work: ReadWork): Promise<WebhookReads> {
  await requireAdvancedWebhooks(work.em, tenant);
  const { em, keyRing, webhooks } = work;
  if (webhooks.name === 'embedded') return embeddedReads({ em, keyRing, tenantId: tenant.id });
  return webhooks.endpointsOf(await requireApplication(em, tenant, webhooks));
}

const ownEndpoints = ({ id: tenantId, keyId }: Tenant, { em, keyRing, wakeEndpoint }: Work): WebhookWrites =>
  embeddedWrites({ em, keyRing, tenantId, wake: (endpointId) => wakeEndpoint({ keyId, endpointId }) });

/** Seconds until the provider has usually created the application. */
const provisioned = { headers: { 'Retry-After': '2' } };

/** Throws UNAVAILABLE until the key's application exists at the external provider. */
export async function requireApplication(
  em: EntityManager,
  tenant: Tenant,
  { name }: SvixProvider,
): Promise<string> {
  const application = await findOpenApplication(em, tenant.id, name);
  if (application === undefined) throw new TransportError('UNAVAILABLE', messages.unavailable, provisioned);
  return application;
}

/** Milliseconds for all provider requests of one call. */
const limitMs = 20_000;

/** Undefined for the embedded provider: there the act runs in the call's transaction. */
type ProviderOutcome<Result> = { readonly result: Result } | undefined;

/** Runs an act in the call's transaction, or, for an external provider, between two transactions. */
export function actOnEndpoints<Data, Result>(act: Act<Data, Result>) {
  const outside: OutsideSteps<
    KeyCall<Data>,
    (signal: AbortSignal) => Promise<Result>,
    ProviderOutcome<Result>
  > = {
    limitMs,
    needed: (_call, { webhooks }) => webhooks.name !== 'embedded',
    async prepare({ data, tenant }, { em, webhooks, idempotent }) {
      if (webhooks.name === 'embedded') throw new Error('embedded webhook provider reached an external call');
      await requireAdvancedWebhooks(em, tenant);
      const application = await requireApplication(em, tenant, webhooks);
      const callId = idempotent && callHash(idempotent).toString('hex');
      return async (signal) => act(webhooks.endpointsOf(application, signal), data, callId);
    },
    reach: async (request, signal) => ({ result: await request(signal) }),
  };
  const result = async (
    { tenant, data, outcome }: KeyCall<Data> & { readonly outcome: ProviderOutcome<Result> },
    work: Work,
  ): Promise<Result> => {
    if (outcome !== undefined) return outcome.result;
    await requireAdvancedWebhooks(work.em, tenant);
    return act(ownEndpoints(tenant, work), data);
  };
  return { outside, result };
}
