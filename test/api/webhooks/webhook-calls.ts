import type { Result } from '../../support/client.ts';
import { deliveryScene } from '../../domain/webhooks/delivery-scene.ts';
import type { TestTenant } from '../../support/factories.ts';

/** Path of an operation of advanced webhooks. */
export const at = (operation: string): string => `/v2/workspace/advancedwebhook/${operation}`;

export interface EndpointView {
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  readonly filterTypes: readonly string[] | null;
  readonly channels: readonly string[] | null;
  readonly disabled: boolean;
  readonly disabledReason: string | null;
  readonly rateLimit: number | null;
  readonly uid: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface AttemptView {
  readonly id: string;
  readonly messageId: string;
  readonly endpointId: string;
  readonly eventType: string;
  readonly attemptNumber: number | null;
  readonly status: string;
  readonly responseStatusCode: number | null;
  readonly response: string;
  readonly error: string | null;
  readonly durationMs: number;
  readonly timestamp: number;
  readonly trigger: string;
}

export interface MessageView {
  readonly id: string;
  readonly eventType: string;
  readonly status: string;
  readonly statusReason: string | null;
  readonly attempts: number | null;
  readonly nextAttemptAt: number | null;
  readonly channels: readonly string[];
  readonly payload: unknown;
  readonly timestamp: number;
}

/** Members of a list response besides its items. */
export interface Iterators {
  readonly iterator: string | null;
  readonly prevIterator: string | null;
  readonly done: boolean;
}

export const hook = 'https://hooks.example.com/steward';

export const create = async (tenant: TestTenant, members: object = {}): Promise<EndpointView> =>
  (await tenant.ok<EndpointView>(at('endpoints/create'), { url: hook, ...members })).data;

export const list = async (
  tenant: TestTenant,
  paging: object = {},
): Promise<Iterators & { readonly endpoints: readonly EndpointView[] }> =>
  (await tenant.ok<Iterators & { endpoints: EndpointView[] }>(at('endpoints/get'), paging)).data;

export const update = (
  tenant: TestTenant,
  endpointId: string,
  change: object,
): Promise<Result<EndpointView>> =>
  tenant.ok<EndpointView>(at('endpoints/update'), { endpointId, ...change });

export interface Tested {
  readonly messageId: string;
  readonly attempt: AttemptView;
}

export const tested = async (tenant: TestTenant, endpointId: string, more: object = {}): Promise<Tested> =>
  (await tenant.ok<Tested>(at('endpoints/test'), { endpointId, ...more })).data;

export const messagesOf = async (
  tenant: TestTenant,
  endpointId: string,
  filter: object = {},
): Promise<Iterators & { readonly messages: readonly MessageView[] }> =>
  (
    await tenant.ok<Iterators & { messages: MessageView[] }>(at('endpoints/messages/get'), {
      endpointId,
      ...filter,
    })
  ).data;

export const attemptsOf = async (
  tenant: TestTenant,
  endpointId: string,
  filter: object = {},
): Promise<Iterators & { readonly attempts: readonly AttemptView[] }> =>
  (
    await tenant.ok<Iterators & { attempts: AttemptView[] }>(at('endpoints/attempts/get'), {
      endpointId,
      ...filter,
    })
  ).data;

/** A `deliveryScene` whose API may send to this machine, with a receiver. */
export async function webhooksScene() {
  const scene = await deliveryScene({ environment: { STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' } });
  return { ...scene, receiver: await scene.receiving() };
}
