import pLimit, { type LimitFunction } from 'p-limit';
import type { Share } from '../../platform/senders/provider-connections.ts';
import { defaultPauseMs, type SendVerdict } from '../../platform/senders/verdict.ts';
import type { StoredAttempt } from '../notices/attempt.ts';
import type { ProviderName } from '../notices/channels.ts';
import type { HeldReason, StatusReason } from '../notices/statuses.ts';
import { retryWait } from '../webhooks/delivery/retry-schedule.ts';
import { sendDeliveriesWithinMs, type ClaimedDelivery } from './claim-deliveries.ts';
import type { RecordedOutcome } from './record-outcomes.ts';

/** An attempt; or the reason why there is no recipient; or a delay. */
export type Attempted =
  | {
      readonly verdict: SendVerdict;
      /** Null for an attempt that reached no provider. */
      readonly provider: ProviderName | null;
      readonly unknownAddress: string | null;
    }
  | { readonly skipped: StatusReason }
  /** The delivery must wait for this many milliseconds; no attempt counts. */
  | { readonly postponedMs: number };

/** Why the channel must wait. `pauseMs`: the pause that the provider requests. */
export interface Stop {
  readonly reason: HeldReason;
  readonly pauseMs: number | undefined;
}

/** Limits the attempts of one turn, over all of its claims. */
export interface AttemptLimits {
  /** Concurrent attempts; the SMTP sender opens as many connections per key. */
  readonly attempts: LimitFunction;
  /** Deliveries between the start of their attempt and its record: the max number of messages that a crash repeats. */
  readonly unrecorded: LimitFunction;
}

export const attemptLimits = (): AttemptLimits => ({ attempts: pLimit(5), unrecorded: pLimit(50) });

/** Shared by the claims of a turn: when a provider pauses one of them, the others make no further attempt. */
export interface Halt {
  stop: Stop | undefined;
}

export interface SendOptions {
  /** Milliseconds before each attempt. */
  readonly retryDelaysMs: readonly number[];
  /** Hashes an unknown address. */
  readonly hashOf: (address: string) => Buffer;
  readonly limits: AttemptLimits;
  readonly halt: Halt;
  /** When the deliveries were claimed, by `performance.now()`. */
  readonly claimedAt: number;
  /** No attempt begins after this time. */
  readonly endsAt: number;
  /** Aborts the attempts that have not begun. */
  readonly signal: AbortSignal;
  /** Waits for a connection to the provider, at most so many milliseconds. */
  readonly connect: (waitMs: number) => Promise<Share | undefined>;
  readonly attempt: (delivery: ClaimedDelivery) => Promise<Attempted>;
  /** Whether outcomes cannot be recorded now: no attempt begins, because its message may be sent again. */
  readonly isFailing: () => boolean;
  /** Receives each outcome as soon as it is known; resolves when it is recorded. */
  readonly onOutcome: (outcome: RecordedOutcome) => Promise<void>;
}

export interface Sent {
  /** Why the channel must wait, if one of these attempts found it. */
  readonly stop: Stop | undefined;
  /** The unexpected errors of deliveries. */
  readonly failures: readonly unknown[];
}

/**
 * Attempts to send claimed deliveries. When the provider requests a pause, the turn ends, the claim is about to lapse
 * or the database fails, the remaining deliveries are released without an attempt. An unexpected error of one does not
 * stop the others.
 */
export async function sendDeliveries(
  deliveries: readonly ClaimedDelivery[],
  {
    retryDelaysMs,
    hashOf,
    limits,
    halt,
    claimedAt,
    endsAt,
    signal,
    connect,
    attempt,
    isFailing,
    onOutcome,
  }: SendOptions,
): Promise<Sent> {
  let stop: Stop | undefined;
  const latest = Math.min(claimedAt + sendDeliveriesWithinMs, endsAt);
  const isOver = (): boolean =>
    halt.stop !== undefined || performance.now() > latest || signal.aborted || isFailing();
  const send = async (delivery: ClaimedDelivery): Promise<RecordedOutcome> => {
    if (isOver()) return released(delivery);
    const connection = await connect(latest - performance.now());
    if (connection === undefined) return released(delivery);
    try {
      // While the delivery waited for a connection, the provider may have paused the channel.
      return isOver() ? released(delivery) : await attemptOf(delivery);
    } finally {
      connection.end();
    }
  };
  const attemptOf = async (delivery: ClaimedDelivery): Promise<RecordedOutcome> => {
    const at = Date.now();
    const began = performance.now();
    const attempted = await attempt(delivery);
    const durationMs = Math.round(performance.now() - began);
    if ('verdict' in attempted && halt.stop === undefined) {
      stop = stopOf(attempted.verdict);
      halt.stop = stop;
    }
    return outcomeOf(delivery, attempted, { at, durationMs, retryDelaysMs, hashOf });
  };
  // A delivery that throws is not recorded: its attempt stays `unknown`, and its claim lapses.
  const ends = await Promise.allSettled(
    deliveries.map(async (delivery) =>
      limits.unrecorded(async () => onOutcome(await limits.attempts(async () => send(delivery)))),
    ),
  );
  const failures: unknown[] = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  return { stop, failures };
}

/** The attempts before this claim, for a claim that made none. */
const earlier = ({ attempts }: ClaimedDelivery): readonly StoredAttempt[] => attempts.slice(0, -1);

/** Releases a delivery that is sent again in `waitMs`; the claim counts as no attempt. */
export const released = (delivery: ClaimedDelivery, waitMs = 0): RecordedOutcome => ({
  kind: 'waits',
  delivery,
  attempts: earlier(delivery),
  waitMs,
});

const stopOf = (verdict: SendVerdict): Stop | undefined =>
  verdict.result === 'paused'
    ? { reason: 'paused', pauseMs: verdict.waitMs }
    : verdict.result === 'held'
      ? { reason: verdict.reason, pauseMs: undefined }
      : undefined;

function outcomeOf(
  delivery: ClaimedDelivery,
  attempted: Attempted,
  {
    at,
    durationMs,
    retryDelaysMs,
    hashOf,
  }: Pick<SendOptions, 'retryDelaysMs' | 'hashOf'> & {
    readonly at: number;
    readonly durationMs: number;
  },
): RecordedOutcome {
  if ('postponedMs' in attempted) return released(delivery, attempted.postponedMs);
  const ended = { kind: 'ended', delivery, provider: null, reference: null, suppress: null } as const;
  if ('skipped' in attempted)
    return { ...ended, attempts: earlier(delivery), status: 'skipped', reason: attempted.skipped };
  const { verdict, provider, unknownAddress } = attempted;
  if (verdict.result === 'held') return released(delivery);
  // Behind the others: a server may defer this message alone, which must not stop the channel until the message expires.
  if (verdict.result === 'paused') return released(delivery, Math.min(verdict.waitMs, defaultPauseMs));
  const attempts = [
    ...earlier(delivery),
    { number: delivery.attempts.length, at, outcome: verdict.result, code: verdict.code, durationMs },
  ];
  if (verdict.result === 'accepted')
    return { ...ended, attempts, status: 'sent', reason: null, provider, reference: verdict.reference };
  if (verdict.result === 'refused') {
    const reason = verdict.code === 'address-unsupported' ? 'address-unsupported' : 'refused';
    return {
      ...ended,
      attempts,
      status: 'failed',
      reason,
      provider,
      suppress: unknownAddress === null ? null : hashOf(unknownAddress),
    };
  }
  const waitMs = retryWait(retryDelaysMs, { step: attempts.length, endless: false });
  if (waitMs === undefined)
    return { ...ended, attempts, status: 'failed', reason: 'attempts-used', provider };
  return { kind: 'waits', delivery, attempts, waitMs };
}
