import pLimit, { type LimitFunction } from 'p-limit';
import type { Verdict } from '../../platform/senders/verdict.ts';
import type { StoredAttempt } from '../notices/attempt.ts';
import type { ProviderName } from '../notices/channels.ts';
import type { HeldReason, Reason } from '../notices/statuses.ts';
import { retryWait } from '../webhooks/delivery/retry-schedule.ts';
import { sendWithinMs, type Claimed } from './claim-deliveries.ts';
import type { Recorded } from './record-outcomes.ts';

/** An attempt, or the reason why there is no recipient. */
export type Attempted =
  | { readonly verdict: Verdict; readonly provider: ProviderName; readonly unknownAddress: string | null }
  | { readonly skipped: Reason }
  /** Not before `waitMs` have passed; no attempt counts. */
  | { readonly postponedMs: number };

/** The channel must wait. `pauseMs`: the pause that the provider requests. */
export interface Stop {
  readonly reason: HeldReason;
  readonly pauseMs: number | undefined;
}

/** Limits the attempts of one turn, over all of its claims. */
export interface AttemptLimits {
  /** Attempts at once; the SMTP sender gives a key as many connections. */
  readonly attempts: LimitFunction;
  /** Deliveries from before their attempt until its outcome is recorded: a crash repeats no more messages. */
  readonly unrecorded: LimitFunction;
}

export const attemptLimits = (): AttemptLimits => ({ attempts: pLimit(5), unrecorded: pLimit(50) });

/** Claims that are sent concurrently share it: a provider that asks one of them to wait gets no other attempt either. */
export interface Halt {
  stop: Stop | undefined;
}

export interface SendOptions {
  /** Milliseconds before each attempt. */
  readonly schedule: readonly number[];
  /** Hashes an unknown address. */
  readonly hashOf: (address: string) => Buffer;
  readonly limits: AttemptLimits;
  readonly halt: Halt;
  /** When the deliveries were claimed, by `performance.now()`. */
  readonly claimedAt: number;
  /** No attempt begins after it. */
  readonly endsAt: number;
  /** Aborts the attempts that have not begun. */
  readonly signal: AbortSignal;
  readonly attempt: (delivery: Claimed) => Promise<Attempted>;
  /** Gets each outcome as soon as it is known; resolves when it is recorded. */
  readonly onOutcome: (outcome: Recorded) => Promise<void>;
}

/**
 * Attempts to send claimed deliveries. Once a provider asks to wait, the turn ends, or a claim is about to end, the rest is
 * released without an attempt. Returns why the channel must wait, if one of these was told so. Throws the first unexpected error after all others were
 * attempted and recorded.
 */
export async function sendDeliveries(
  deliveries: readonly Claimed[],
  { schedule, hashOf, limits, halt, claimedAt, endsAt, signal, attempt, onOutcome }: SendOptions,
): Promise<Stop | undefined> {
  let stop: Stop | undefined;
  const latest = Math.min(claimedAt + sendWithinMs, endsAt);
  const send = async (delivery: Claimed): Promise<Recorded> => {
    if (halt.stop !== undefined || performance.now() > latest || signal.aborted) return released(delivery);
    const at = Date.now();
    const began = performance.now();
    const attempted = await attempt(delivery);
    const durationMs = Math.round(performance.now() - began);
    if ('verdict' in attempted && halt.stop === undefined) {
      stop = stopOf(attempted.verdict);
      halt.stop = stop;
    }
    return outcomeOf(delivery, attempted, { at, durationMs, schedule, hashOf });
  };
  // One that throws is not recorded: its attempt stays unknown, and the claim lapses.
  const ends = await Promise.allSettled(
    deliveries.map(async (delivery) =>
      limits.unrecorded(async () => onOutcome(await limits.attempts(async () => send(delivery)))),
    ),
  );
  const failure = ends.find((end) => end.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
  return stop;
}

/** The attempts before this claim: it attempted nothing. */
const earlier = ({ attempts }: Claimed): readonly StoredAttempt[] => attempts.slice(0, -1);

/** Sent again in `waitMs`; the claim counts as no attempt. */
export const released = (delivery: Claimed, waitMs = 0): Recorded => ({
  kind: 'waits',
  delivery,
  attempts: earlier(delivery),
  waitMs,
});

const stopOf = (verdict: Verdict): Stop | undefined =>
  verdict.result === 'paused'
    ? { reason: 'paused', pauseMs: verdict.waitMs }
    : verdict.result === 'held'
      ? { reason: verdict.reason, pauseMs: undefined }
      : undefined;

function outcomeOf(
  delivery: Claimed,
  attempted: Attempted,
  {
    at,
    durationMs,
    schedule,
    hashOf,
  }: Pick<SendOptions, 'schedule' | 'hashOf'> & {
    readonly at: number;
    readonly durationMs: number;
  },
): Recorded {
  if ('postponedMs' in attempted) return released(delivery, attempted.postponedMs);
  const ended = { kind: 'ended', delivery, provider: null, reference: null, suppress: null } as const;
  if ('skipped' in attempted)
    return { ...ended, attempts: earlier(delivery), status: 'skipped', reason: attempted.skipped };
  const { verdict, provider, unknownAddress } = attempted;
  if (verdict.result === 'paused' || verdict.result === 'held') return released(delivery);
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
  const waitMs = retryWait(schedule, { step: attempts.length, endless: false });
  if (waitMs === undefined)
    return { ...ended, attempts, status: 'failed', reason: 'attempts-used', provider };
  return { kind: 'waits', delivery, attempts, waitMs };
}
