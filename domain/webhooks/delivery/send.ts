import type { Outbound } from '../../../platform/outbound/outbound-connections.ts';
import { OutboundError } from '../../../platform/outbound/outbound-error.ts';
import type { OutboundResponse } from '../../../platform/outbound/exchange.ts';
import type { Tracing } from '../../../platform/tracing/spans.ts';
import { endpointKinds } from '../../events/endpoint-kinds.ts';
import type { WebhookProvider } from '../provider.ts';
import type { ClaimedMessage } from './claim.ts';
import type { Message } from './payload.ts';
import { exchangeTimeoutMs } from './message.ts';
import { preparePost, prepareRequest } from './prepare.ts';
import type { Destination } from './resolve.ts';
import { receiverDelayMs } from './retry-schedule.ts';

/** The result of one attempt. */
export interface AttemptOutcome {
  /** Start time in milliseconds, by PostgreSQL's clock where this process's is a minute off. */
  readonly at: number;
  readonly durationMs: number;
  /** Null without a response. */
  readonly httpStatus: number | null;
  /** Null exactly when the message was delivered. */
  readonly error: string | null;
  /** The first 1 KiB of the response body. */
  readonly response: string;
  /** From the `Retry-After` header. */
  readonly retryAfterMs: number | undefined;
  /** The endpoint responded with 410. */
  readonly gone: boolean;
}

/** A claimed message and its ended attempt. */
export interface SentMessage {
  readonly message: ClaimedMessage;
  /** The URL that the attempt called. */
  readonly url: string;
  readonly outcome: AttemptOutcome;
}

export interface AttemptContext {
  readonly outbound: Outbound;
  readonly webhooks: WebhookProvider;
  /** Undefined while tracing is off. */
  readonly tracing?: Tracing | undefined;
  /** Called with any error that is not a failure of the exchange; the attempt has failed. */
  readonly onUnexpectedError: (error: unknown) => void;
  /** Called with each ended attempt of a delivery. */
  readonly onAttempt?: (outcome: AttemptOutcome) => void;
}

const maxReadBytes = 16_384;
const maxKeptBytes = 1_024;

/**
 * Makes one attempt, by HTTP or through the external provider, in the trace of the call that recorded the event. Never
 * throws.
 */
export async function send(
  context: AttemptContext,
  destination: Destination,
  message: Message,
): Promise<AttemptOutcome> {
  const { tracing } = context;
  const { webhookId, traceparent = null } = message;
  if (tracing === undefined || traceparent === null) return sendMessage(context, destination, message);
  const attributes = { 'steward.message_id': webhookId, 'steward.endpoint_id': destination.publicId };
  const span = { name: 'send webhook', kind: 'producer', traceparent, linked: true, attributes } as const;
  return tracing.run(span, async (running) => {
    const outcome = await sendMessage(context, destination, message);
    if (outcome.error !== null) running.fail(String(outcome.httpStatus ?? 'no_response'));
    return outcome;
  });
}

async function sendMessage(
  context: AttemptContext,
  destination: Destination,
  message: Message,
): Promise<AttemptOutcome> {
  const at = Date.now() + destination.clockAheadMs;
  const begun = performance.now();
  const ended = await attemptOnce(context, destination, message, at);
  return {
    retryAfterMs: undefined,
    gone: false,
    ...ended,
    at,
    durationMs: Math.round(performance.now() - begun),
  };
}

type AttemptResult = Pick<AttemptOutcome, 'httpStatus' | 'error' | 'response'> & Partial<AttemptOutcome>;

const failedAttempt = (error: string): AttemptResult => ({ httpStatus: null, error, response: '' });

async function attemptOnce(
  context: AttemptContext,
  destination: Destination,
  message: Message,
  at: number,
): Promise<AttemptResult> {
  try {
    return destination.kind === endpointKinds.application
      ? await sendToProvider(context, destination, message)
      : await sendToUrl(context, destination, message, at);
  } catch (error) {
    if (error instanceof OutboundError) return failedAttempt(error.message);
    context.onUnexpectedError(error);
    return failedAttempt('The request could not be built.');
  }
}

async function sendToUrl(
  { outbound }: AttemptContext,
  destination: Destination,
  message: Message,
  at: number,
): Promise<AttemptResult> {
  const response = await outbound.send(destination.publicId, {
    url: destination.url,
    owner: destination.tenantId,
    ...prepareRequest(destination, message, at),
    timeoutMs: exchangeTimeoutMs,
    maxResponseBytes: maxReadBytes,
  });
  return outcomeOf(response, Date.now() + destination.clockAheadMs);
}

/** `now`: milliseconds since the epoch by PostgreSQL's clock. */
function outcomeOf({ status, headers, body }: OutboundResponse, now: number): AttemptResult {
  const ok = status >= 200 && status < 300;
  return {
    httpStatus: status,
    error: ok ? null : `The endpoint responded with ${String(status)}.`,
    response: textOf(body),
    retryAfterMs: ok ? undefined : receiverDelayMs(headers['retry-after'], now),
    gone: status === 410,
  };
}

/** Removes U+0000, which PostgreSQL rejects, and a character that the limit cut in two. */
function textOf(body: Buffer): string {
  const text = body.subarray(0, maxKeptBytes).toString('utf8').replaceAll('\u0000', '');
  return body.length > maxKeptBytes ? text.replace(/\uFFFD$/, '') : text;
}

async function sendToProvider(
  { webhooks }: AttemptContext,
  destination: Destination,
  message: Message,
): Promise<AttemptResult> {
  const { providerId } = destination;
  if (webhooks.name !== 'svix' || providerId === null)
    return failedAttempt('The provider is not configured.');
  return webhooks.post(preparePost(providerId, destination, message), AbortSignal.timeout(exchangeTimeoutMs));
}
