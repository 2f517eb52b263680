import type { PageLimit } from '../page-limit.ts';
import { endpointKinds } from '../events/endpoint-kinds.ts';
import type { ListPage, PageCursor } from './list-page.ts';
import type { AttemptStatus, MessageStatus, Trigger } from './delivery/message.ts';

/** An endpoint of advanced webhooks, as the API returns it. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  /** Null or empty: every event. */
  readonly filterTypes: readonly string[] | null;
  readonly channels: readonly string[] | null;
  readonly disabled: boolean;
  /** Why Steward disabled the endpoint; null when the caller did. */
  readonly disabledReason: string | null;
  /** Messages per second. */
  readonly rateLimit: number | null;
  readonly uid: string | null;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** An endpoint before and after an update. */
export interface ChangedEndpoint {
  readonly before: WebhookEndpoint;
  readonly after: WebhookEndpoint;
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

/** Absent members keep their value; null clears. */
export interface WebhookEndpointChange {
  readonly url?: string | undefined;
  readonly description?: string | null | undefined;
  readonly filterTypes?: readonly string[] | null | undefined;
  readonly channels?: readonly string[] | null | undefined;
  readonly disabled?: boolean | undefined;
  readonly rateLimit?: number | null | undefined;
  /** Replaces the whole object. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** One attempt to deliver a message. Times in milliseconds. */
export interface WebhookAttempt {
  readonly id: string;
  readonly messageId: string;
  readonly endpointId: string;
  readonly eventType: string;
  /** Null when the provider does not number attempts. */
  readonly attemptNumber: number | null;
  readonly status: AttemptStatus;
  readonly responseStatusCode: number | null;
  readonly response: string;
  readonly error: string | null;
  readonly durationMs: number;
  readonly timestamp: number;
  readonly trigger: Trigger;
}

/** An event for one endpoint. */
export interface WebhookMessage {
  readonly id: string;
  readonly eventType: string;
  readonly status: MessageStatus;
  readonly statusReason: string | null;
  /** Null when the provider does not count attempts. */
  readonly attempts: number | null;
  readonly nextAttemptAt: number | null;
  readonly channels: readonly string[];
  /** The body before encoding and encryption. */
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
  /** Id of an organization or a document of the event. */
  readonly channel?: string | undefined;
  /** Milliseconds: events from `since` on, and before `until`. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** Message counts, and durations and times of attempts in milliseconds; null: none or not known. */
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
  /** Milliseconds; until then, the previous secret also signs. */
  readonly previousSecretExpiresAt: number;
}

export interface PageRequest {
  readonly cursor: PageCursor | undefined;
  readonly limit: PageLimit;
}

/**
 * Reads of one key's endpoints at any provider. A missing endpoint is NOT_FOUND with `messages.webhookProviderFailed`.
 */
export interface WebhookReads {
  list(page: PageRequest): Promise<ListPage<WebhookEndpoint>>;
  readSecret(endpointId: string): Promise<string>;
  listAttempts(
    endpointId: string,
    filter: AttemptFilter,
    page: PageRequest,
  ): Promise<ListPage<WebhookAttempt>>;
  listMessages(
    endpointId: string,
    filter: MessageFilter,
    page: PageRequest,
  ): Promise<ListPage<WebhookMessage>>;
  readStats(endpointId: string, since: number): Promise<WebhookStats>;
}

/** Writes of one key's endpoints at any provider. A missing endpoint is the same NOT_FOUND. */
export interface WebhookWrites {
  /** Calls with the same `callId` create one endpoint, at Svix within 12 hours. */
  create(request: NewWebhookEndpoint, callId?: string): Promise<WebhookEndpoint>;
  update(endpointId: string, change: WebhookEndpointChange): Promise<ChangedEndpoint>;
  /** After the commit, no attempt starts; one that is already connecting may complete. Returns the endpoint as it was. */
  remove(endpointId: string): Promise<WebhookEndpoint>;
  rotateSecret(endpointId: string): Promise<RotatedSecret>;
  /** Queues another attempt of a message under the same id. */
  resend(endpointId: string, messageId: string): Promise<void>;
  /** Queues failed messages of a period in milliseconds. Returns their number, or null when the provider does not report it. */
  recover(
    endpointId: string,
    span: { readonly since: number; readonly until: number },
  ): Promise<number | null>;
}

export type WebhookEndpoints = WebhookReads & WebhookWrites;

/** An event for all endpoints of a key at an external provider. */
export interface PostedMessage {
  /** `webhook_endpoint.provider_id` of the row of kind `application`. */
  readonly applicationId: string;
  /** The provider deduplicates by this id. */
  readonly eventId: string;
  readonly eventType: string;
  readonly channels: readonly string[];
  readonly payload: object;
}

/** `error` is null exactly when the provider has accepted the message. */
export interface PostOutcome {
  readonly httpStatus: number | null;
  readonly error: string | null;
  readonly response: string;
}

/** Steward itself stores endpoints, signs and delivers. */
export interface EmbeddedProvider {
  readonly name: 'embedded';
}

/** Endpoints live at Svix, which signs and fans out; Steward hands every event to the key's application there. */
export interface SvixProvider {
  readonly name: 'svix';
  /** Creates the application unless it exists. Throws UNAVAILABLE; its message contains nothing of the request. */
  ensureApplication(applicationId: string, signal: AbortSignal): Promise<void>;
  endpointsOf(applicationId: string, signal?: AbortSignal): WebhookEndpoints;
  /** Sends a message to one endpoint now, and waits for its first attempt until the signal aborts. */
  test(
    request: { readonly applicationId: string; readonly endpointId: string; readonly eventType: string },
    signal: AbortSignal,
  ): Promise<WebhookAttempt>;
  /** Posts a message. Never throws. */
  post(message: PostedMessage, signal: AbortSignal): Promise<PostOutcome>;
}

export type WebhookProvider = EmbeddedProvider | SvixProvider;

/** Kinds of endpoint rows that receive events. Rows of another provider are kept for a change back to it. */
export const servedKinds = (provider: WebhookProvider['name']): readonly number[] =>
  provider === 'embedded'
    ? [endpointKinds.advanced, endpointKinds.basicRaw, endpointKinds.basicProcessed]
    : [endpointKinds.basicRaw, endpointKinds.basicProcessed, endpointKinds.application];
