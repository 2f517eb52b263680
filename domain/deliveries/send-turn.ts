import { setTimeout as pause } from 'node:timers/promises';
import { maxReadyMs } from '../notices/rules/sending-rules.ts';
import { drainLane, type DrainOptions } from './drain-lane.ts';
import { readHold } from './channel-hold.ts';
import { readLaneState } from './lane-state.ts';
import { isWaiting } from './open-lane.ts';
import { attemptLimits } from './send-deliveries.ts';
import type { SenderRef } from './sender-ref.ts';

export type TurnOptions = DrainOptions;

/** The end of a turn. `nextIn`: milliseconds until the next one; undefined when nothing waits. */
export interface TurnEnd {
  readonly nextIn: number | undefined;
  readonly counts: {
    readonly waiting: number;
    readonly due: number;
    readonly sent: number;
    readonly held: boolean;
  };
}

/** Milliseconds. */
const times = {
  /** A turn claims nothing after it. */
  claims: 20_000,
  /** A turn begins no attempt after it. */
  turn: 25_000,
  /** A turn waits for work that is due so soon. */
  soon: 1_000,
  /** Between turns that end what has expired on a held channel, at least. */
  expiry: 60_000,
  /** No workflow sleeps longer. */
  maxSleep: 24 * 60 * 60 * 1_000,
} as const;

const nothing: TurnEnd = { nextIn: undefined, counts: { waiting: 0, due: 0, sent: 0, held: false } };

/**
 * Runs one turn for a channel of a key: moves on its notices, closes windows, and sends what is due, until nothing is. May
 * run concurrently with another turn of the same key: rows are claimed.
 */
export async function sendDue(options: TurnOptions, ref: SenderRef): Promise<TurnEnd> {
  const beganAt = performance.now();
  const turn = {
    ref,
    claimsUntil: beganAt + times.claims,
    endsAt: beganAt + times.turn,
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
    const { sender } = lane;
    const now = await readHold(orm.em.fork(), sender);
    const state = await readLaneState(orm.em.fork(), sender, sender.now);
    const { waiting, due, noticesIn, deliveriesIn } = state;
    const nextDelivery =
      deliveriesIn === null
        ? null
        : Math.min(
            Math.max(deliveriesIn, now?.waitMs ?? 0, state.pacedMs),
            Math.max(deliveriesIn + maxReadyMs, times.expiry),
          );
    const next = Math.min(noticesIn ?? Infinity, nextDelivery ?? Infinity);
    const counts = { waiting, due, sent, held: isWaiting(now) };
    if (next === Infinity) return { nextIn: undefined, counts };
    if (next > times.soon) return { nextIn: Math.min(next, times.maxSleep), counts };
    await pause(Math.max(next, 10), undefined, { signal: options.signal }).catch(() => undefined);
  }
}
