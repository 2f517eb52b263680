import { messages } from '../../domain/messages.ts';
import type { Tenant } from '../../domain/tenancy/tenant.ts';
import { embeddedEndpoints } from '../../domain/webhooks/endpoints/embedded-endpoints.ts';
import type { SvixProvider, WebhookEndpoints } from '../../domain/webhooks/provider.ts';
import { openedApplication } from '../../domain/webhooks/provisioning/work-application.ts';
import { requireAdvancedWebhooks } from '../../domain/webhooks/require-enabled.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { OutsideSteps, Work } from '../http/endpoint.ts';
import { TransportError } from '../http/response/transport-error.ts';

/** What every operation of advanced webhooks may answer. */
export const providedErrors = ['FAILED_PRECONDITION', 'NOT_FOUND', 'UNAVAILABLE'] as const;

interface KeyCall<Data> {
  readonly tenant: Tenant;
  readonly data: Data;
}

type Act<Data, Result> = (endpoints: WebhookEndpoints, data: Data) => Promise<Result>;

/** The endpoints of the caller's key, to be read. */
export async function endpointsToRead(tenant: Tenant, work: Work): Promise<WebhookEndpoints> {
  await requireAdvancedWebhooks(work.em, tenant);
  const { webhooks } = work;
  if (webhooks.name === 'embedded') return ownEndpoints(tenant, work);
  return webhooks.endpointsOf(await requireApplication(work.em, tenant, webhooks));
}

const ownEndpoints = (
  { id: tenantId, keyId }: Tenant,
  { em, keyRing, wakeEndpoint }: Work,
): WebhookEndpoints =>
  embeddedEndpoints({ em, keyRing, tenantId, wake: (endpointId) => wakeEndpoint({ keyId, endpointId }) });

/** Seconds; a provider that is there makes an application in a moment. */
const provisioned = { headers: { 'Retry-After': '2' } };

/** Endpoint calls to a provider of its own wait until the key's application has been made there. */
export async function requireApplication(
  em: EntityManager,
  tenant: Tenant,
  { name }: SvixProvider,
): Promise<string> {
  const application = await openedApplication(em, tenant.id, name);
  if (application === undefined) throw new TransportError('UNAVAILABLE', messages.unavailable, provisioned);
  return application;
}

/** Milliseconds for all that one call asks of a provider. */
const limit = 20_000;

/** What a provider has answered; undefined where the endpoints are Steward's own and the act is part of the transaction. */
type Asked<Result> = { readonly result: Result } | undefined;

/** An act on endpoints: in the call's transaction, or, when they are kept elsewhere, between two of them. */
export function provided<Data, Result>(act: Act<Data, Result>) {
  const outside: OutsideSteps<KeyCall<Data>, (signal: AbortSignal) => Promise<Result>, Asked<Result>> = {
    limitMs: limit,
    needed: (_call, { webhooks }) => webhooks.name !== 'embedded',
    async prepare({ data, tenant }, { em, webhooks }) {
      if (webhooks.name === 'embedded') throw new Error('There is nobody to ask.');
      await requireAdvancedWebhooks(em, tenant);
      const application = await requireApplication(em, tenant, webhooks);
      return async (signal) => act(webhooks.endpointsOf(application, signal), data);
    },
    reach: async (ask, signal) => ({ result: await ask(signal) }),
  };
  const result = async (
    { tenant, data, outcome }: KeyCall<Data> & { readonly outcome: Asked<Result> },
    work: Work,
  ): Promise<Result> => {
    if (outcome !== undefined) return outcome.result;
    await requireAdvancedWebhooks(work.em, tenant);
    return act(ownEndpoints(tenant, work), data);
  };
  return { outside, result };
}
