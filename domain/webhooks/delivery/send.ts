import type { Outbound } from '../../../platform/outbound/outbound-connections.ts';
import { OutboundError } from '../../../platform/outbound/outbound-error.ts';
import type { OutboundResponse } from '../../../platform/outbound/exchange.ts';
import type { WebhookProvider } from '../provider.ts';
import { endpointKinds } from '../../events/endpoint-kinds.ts';
import type { ClaimedMessage } from './claim.ts';
import type { Message } from './payload.ts';
import { preparePost, prepareRequest } from './prepare.ts';
import type { Destination } from './resolve.ts';
import { retryAfterOf } from './retry-schedule.ts';

/** How one attempt went. */
export interface AttemptOutcome {
  /** When it began, in milliseconds. */
  readonly at: number;
  readonly durationMs: number;
  /** Null when no answer came. */
  readonly httpStatus: number | null;
  /** Null exactly when the message has arrived. */
  readonly error: string | null;
  /** The beginning of the answer's body. */
  readonly response: string;
  /** What the receiver asked to wait, in milliseconds. */
  readonly retryAfter: number | undefined;
  /** The receiver wants nothing any more. */
  readonly gone: boolean;
}

/** A claimed message whose attempt has ended. */
export interface SentMessage {
  readonly message: ClaimedMessage;
  readonly outcome: AttemptOutcome;
}

export interface Senders {
  readonly outbound: Outbound;
  readonly webhooks: WebhookProvider;
  /** Hears of what should not happen; the attempt has failed then. */
  readonly onBug: (error: unknown) => void;
}

/** Milliseconds for a whole exchange: name, connection, answer. */
const exchangeLimit = 15_000;

const maxRead = 16_384;
const maxKept = 1_024;

/** Sends a message once, to whatever its endpoint is. Never throws. */
export async function send(
  senders: Senders,
  destination: Destination,
  message: Message,
): Promise<AttemptOutcome> {
  const at = Date.now();
  const begun = performance.now();
  const ended = await endedOf(senders, destination, message, at);
  return {
    retryAfter: undefined,
    gone: false,
    ...ended,
    at,
    durationMs: Math.round(performance.now() - begun),
  };
}

type Ended = Pick<AttemptOutcome, 'httpStatus' | 'error' | 'response'> & Partial<AttemptOutcome>;

const broken = (error: string): Ended => ({ httpStatus: null, error, response: '' });

async function endedOf(
  senders: Senders,
  destination: Destination,
  message: Message,
  at: number,
): Promise<Ended> {
  try {
    return destination.kind === endpointKinds.application
      ? await handedOver(senders, destination, message)
      : await posted(senders, destination, message, at);
  } catch (error) {
    if (error instanceof OutboundError) return broken(error.message);
    senders.onBug(error);
    return broken('The message could not be written.');
  }
}

async function posted(
  { outbound }: Senders,
  destination: Destination,
  message: Message,
  at: number,
): Promise<Ended> {
  return outcomeOf(
    await outbound.send(destination.publicId, {
      url: destination.url,
      method: 'POST',
      ...prepareRequest(destination, message, at),
      timeout: exchangeLimit,
      maxResponseBytes: maxRead,
    }),
  );
}

function outcomeOf({ status, headers, body }: OutboundResponse): Ended {
  const ok = status >= 200 && status < 300;
  const retryAfter = headers['retry-after'];
  return {
    httpStatus: status,
    error: ok ? null : `The endpoint answered ${String(status)}.`,
    response: textOf(body),
    retryAfter: ok ? undefined : retryAfterOf(retryAfter, Date.now()),
    gone: status === 410,
  };
}

/** PostgreSQL keeps no U+0000 in texts; what was cut in the middle of a character loses it. */
function textOf(body: Buffer): string {
  const text = body.subarray(0, maxKept).toString('utf8').replaceAll('\u0000', '');
  return body.length > maxKept ? text.replace(/\uFFFD$/, '') : text;
}

async function handedOver({ webhooks }: Senders, destination: Destination, message: Message): Promise<Ended> {
  const { providerId } = destination;
  if (webhooks.name !== 'svix' || providerId === null) return broken('The provider is not configured.');
  return webhooks.post(preparePost(providerId, destination, message), AbortSignal.timeout(exchangeLimit));
}
