import type { PageLimit } from '../page-limit.ts';
import type { Stretch, StretchStart } from './stretch.ts';
import type { AttemptStatus, MessageStatus, Trigger } from './delivery/message.ts';
import { endpointKinds } from '../events/endpoint-kinds.ts';

/** An endpoint of advanced webhooks as its owner sees it. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  /** Null and empty let every event through. */
  readonly filterTypes: readonly string[] | null;
  readonly channels: readonly string[] | null;
  readonly disabled: boolean;
  /** Why deliveries have switched it off; null when its owner did. */
  readonly disabledReason: string | null;
  /** Messages a second. */
  readonly rateLimit: number | null;
  readonly uid: string | null;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface NewWebhookEndpoint {
  readonly url: string;
  readonly description?: string | undefined;
  readonly filterTypes?: readonly string[] | undefined;
  readonly channels?: readonly string[] | undefined;
  readonly disabled: boolean;
  readonly rateLimit?: number | undefined;
  readonly uid?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** What is not there stays; null clears. */
export interface WebhookEndpointChange {
  readonly url?: string | undefined;
  readonly description?: string | null | undefined;
  readonly filterTypes?: readonly string[] | null | undefined;
  readonly channels?: readonly string[] | null | undefined;
  readonly disabled?: boolean | undefined;
  readonly rateLimit?: number | null | undefined;
  /** Replaced whole. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** One try to bring a message to its endpoint. Times are milliseconds. */
export interface WebhookAttempt {
  readonly id: string;
  readonly messageId: string;
  readonly endpointId: string;
  readonly eventType: string;
  /** Null where the provider does not number them. */
  readonly attemptNumber: number | null;
  readonly status: AttemptStatus;
  readonly responseStatusCode: number | null;
  readonly response: string;
  readonly error: string | null;
  readonly durationMs: number;
  readonly timestamp: number;
  readonly trigger: Trigger;
}

/** An event on its way to one endpoint. */
export interface WebhookMessage {
  readonly id: string;
  readonly eventType: string;
  readonly status: MessageStatus;
  readonly statusReason: string | null;
  /** Null where the provider does not count them. */
  readonly attempts: number | null;
  readonly nextAttemptAt: number | null;
  readonly channels: readonly string[];
  /** Before it was encoded or encrypted. */
  readonly payload: unknown;
  readonly timestamp: number;
}

export interface AttemptFilter {
  readonly messageId?: string | undefined;
  readonly status?: AttemptStatus | undefined;
}

export interface MessageFilter {
  readonly messageId?: string | undefined;
  readonly eventTypes?: readonly string[] | undefined;
  readonly status?: MessageStatus | undefined;
}

/** Messages since a time, and the durations of their attempts; null is not known. */
export interface WebhookStats {
  readonly pending: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly p95Ms: number | null;
  readonly lastAttemptAt: number | null;
  readonly lastSuccessAt: number | null;
  readonly failingSince: number | null;
}

export interface RotatedSecret {
  readonly secret: string;
  /** Until then the former one signs as well. */
  readonly previousSecretExpiresAt: number;
}

export interface Part {
  readonly start: StretchStart | undefined;
  readonly limit: PageLimit;
}

/**
 * The endpoints of one key, wherever they are kept. An endpoint that is not there is NOT_FOUND with one text,
 * `messages` has it.
 */
export interface WebhookEndpoints {
  create(request: NewWebhookEndpoint): Promise<WebhookEndpoint>;
  list(part: Part): Promise<Stretch<WebhookEndpoint>>;
  update(endpointId: string, change: WebhookEndpointChange): Promise<WebhookEndpoint>;
  /** No attempt starts once this has been committed, but for one that is connecting. */
  remove(endpointId: string): Promise<void>;
  readSecret(endpointId: string): Promise<string>;
  rotateSecret(endpointId: string): Promise<RotatedSecret>;
  listAttempts(endpointId: string, filter: AttemptFilter, part: Part): Promise<Stretch<WebhookAttempt>>;
  listMessages(endpointId: string, filter: MessageFilter, part: Part): Promise<Stretch<WebhookMessage>>;
  /** Queues one more attempt of a message, under the same id. */
  resend(endpointId: string, messageId: string): Promise<void>;
  /** Queues the failed messages of a time once each; how many, where the provider tells. Milliseconds. */
  recover(
    endpointId: string,
    span: { readonly since: number; readonly until: number },
  ): Promise<number | null>;
  readStats(endpointId: string, since: number): Promise<WebhookStats>;
}

/** An event for all endpoints that a key has at a provider of its own. */
export interface PostedMessage {
  /** `webhook_endpoint.provider_id` of the row that stands for them. */
  readonly applicationId: string;
  /** The provider takes a second one with the same id for the first. */
  readonly eventId: string;
  readonly eventType: string;
  readonly channels: readonly string[];
  readonly payload: object;
}

/** How a post went; `error` is null exactly when the provider has taken the message. */
export interface PostOutcome {
  readonly httpStatus: number | null;
  readonly error: string | null;
  readonly response: string;
}

/** Endpoints, signatures and deliveries are Steward's own. */
export interface EmbeddedProvider {
  readonly name: 'embedded';
}

/** Endpoints live at Svix, which signs and fans out; Steward hands every event to the key's application there. */
export interface SvixProvider {
  readonly name: 'svix';
  /** Makes the application unless it is there. */
  ensureApplication(applicationId: string, signal: AbortSignal): Promise<void>;
  endpointsOf(applicationId: string, signal?: AbortSignal): WebhookEndpoints;
  /** Sends a message to one endpoint now, and waits for its first attempt as long as the signal lets it. */
  test(
    request: { readonly applicationId: string; readonly endpointId: string; readonly eventType: string },
    signal: AbortSignal,
  ): Promise<WebhookAttempt>;
  /** Never throws. */
  post(message: PostedMessage, signal: AbortSignal): Promise<PostOutcome>;
}

export type WebhookProvider = EmbeddedProvider | SvixProvider;

/** Kinds of endpoint rows that events go to. Rows of the other provider rest: they go on when the installation goes back to it. */
export const servedKinds = (provider: WebhookProvider['name']): readonly number[] =>
  provider === 'embedded'
    ? [endpointKinds.advanced, endpointKinds.basicRaw, endpointKinds.basicProcessed]
    : [endpointKinds.basicRaw, endpointKinds.basicProcessed, endpointKinds.application];
