import type { EntityManager } from '../../../platform/database/orm.ts';
import { sinceLastAttempt } from './record.ts';
import type { Destination } from './resolve.ts';
import type { TurnState } from './turn-state.ts';

/*
 * Spreads the messages of an endpoint with a `rateLimit` (messages per second) over each second. A pace is the time at which
 * the next message may be sent, on the clock of `performance.now()`.
 */

/** Milliseconds whose messages are sent together: less would need a timer per message. */
const burstMs = 20;

/** Returns the initial pace of a turn. */
export async function paceOf(em: EntityManager, destination: Destination): Promise<number> {
  const { rateLimit } = destination;
  const since = rateLimit === null ? undefined : await sinceLastAttempt(em, destination);
  return rateLimit === null || since === undefined ? 0 : performance.now() - since + 1_000 / rateLimit;
}

/** Returns the number of messages that may be sent now. */
export function allowedNow({ pace, destination }: Pick<TurnState, 'pace' | 'destination'>): number {
  const rateLimit = destination?.rateLimit ?? null;
  if (pace === undefined || rateLimit === null) return Infinity;
  const since = performance.now() - pace;
  if (since < 0) return 0;
  return 1 + Math.floor((Math.min(since, burstMs) * rateLimit) / 1_000);
}

/** Returns the pace after sending `messages` messages. */
export function paceAfter(pace: number, messages: number, rateLimit: number | null): number {
  if (rateLimit === null || messages === 0) return pace;
  const begins = Math.max(pace, performance.now() - burstMs);
  return begins + (messages * 1_000) / rateLimit;
}
