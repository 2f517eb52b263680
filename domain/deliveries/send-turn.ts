import { setTimeout as pause } from 'node:timers/promises';
import { inTransaction } from '../../platform/database/orm.ts';
import { maxReadyMs } from '../notices/rules/sending-rules.ts';
import { drainLane } from './drain-lane.ts';
import type { DrainOptions } from './drain-options.ts';
import { endIdleHold, readHold } from './channel-hold.ts';
import { readLaneState } from './lane-state.ts';
import { isWaiting } from './open-lane.ts';
import { attemptLimits } from './send-deliveries.ts';
import type { SenderRef } from './sender-ref.ts';

/** The result of a turn. `nextIn`: milliseconds until the next turn; undefined when nothing waits. */
export interface SendTurnEnd {
  readonly nextIn: number | undefined;
  readonly counts: {
    readonly waiting: number;
    readonly due: number;
    readonly sent: number;
    readonly held: boolean;
  };
}

const timesMs = {
  /** No claim begins later in a turn. */
  maxClaiming: 20_000,
  /** No attempt begins later in a turn. */
  maxAttempting: 25_000,
  /** Max pause of a turn until work is due. */
  maxPause: 1_000,
  /** Min delay between turns that end expired deliveries of a held channel. */
  expiry: 60_000,
  /** Max sleep of a workflow. */
  maxSleep: 24 * 60 * 60 * 1_000,
} as const;

const nothing: SendTurnEnd = { nextIn: undefined, counts: { waiting: 0, due: 0, sent: 0, held: false } };

/**
 * Runs one turn for a channel of a key: advances notices, closes windows and sends deliveries until none is due. May run
 * concurrently with another turn of the same key, because rows are claimed.
 */
export async function sendDue(options: DrainOptions, ref: SenderRef): Promise<SendTurnEnd> {
  const beganAt = performance.now();
  const turn = {
    ref,
    claimsUntil: beganAt + timesMs.maxClaiming,
    endsAt: beganAt + timesMs.maxAttempting,
    limits: attemptLimits(),
  };
  let sent = 0;
  for (;;) {
    const drained = await drainLane(options, turn);
    sent += drained.sent;
    const { lane } = drained;
    if (lane === undefined) return nothing;
    if (options.signal.aborted || performance.now() > turn.claimsUntil)
      return { nextIn: 0, counts: { waiting: 0, due: 0, sent, held: isWaiting(lane.hold) } };
    const { orm } = options;
    const { context } = lane;
    const [hold, state] = await inTransaction(
      orm,
      async (em) => [await readHold(em, context), await readLaneState(em, context, context.now)] as const,
    );
    const { waiting, due, noticesIn, deliveriesIn } = state;
    const nextDelivery =
      deliveriesIn === null
        ? null
        : Math.min(
            Math.max(deliveriesIn, hold?.waitMs ?? 0, state.pacedMs),
            Math.max(maxReadyMs - (state.readyForMs ?? 0), timesMs.expiry),
          );
    const next = Math.min(noticesIn ?? Infinity, nextDelivery ?? Infinity);
    const counts = { waiting, due, sent, held: isWaiting(hold) };
    if (next === Infinity) {
      if (hold !== undefined) await endIdleHold(orm.em.fork(), context);
      return { nextIn: undefined, counts };
    }
    if (next > timesMs.maxPause) return { nextIn: Math.min(next, timesMs.maxSleep), counts };
    await pause(Math.max(next, 10), undefined, { signal: options.signal }).catch(() => undefined);
  }
}
