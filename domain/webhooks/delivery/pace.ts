import type { EntityManager } from '../../../platform/database/orm.ts';
import { sinceLastAttempt } from './record.ts';
import type { Destination } from './resolve.ts';
import type { TurnState } from './turn-state.ts';

/*
 * The messages of an endpoint with a `rateLimit`, in messages a second, are spread over each second. A pace is the time at
 * which its next message may go, on the clock of `performance.now()`.
 */

/** Milliseconds whose messages may go at once: less would be a timer for each. */
const grain = 20;

/** The pace with which a turn begins. */
export async function paceOf(em: EntityManager, destination: Destination): Promise<number> {
  const { rateLimit } = destination;
  const since = rateLimit === null ? undefined : await sinceLastAttempt(em, destination);
  return rateLimit === null || since === undefined ? 0 : performance.now() - since + 1_000 / rateLimit;
}

/** Messages that may go now. */
export function allowedNow({ pace, destination }: Pick<TurnState, 'pace' | 'destination'>): number {
  const rateLimit = destination?.rateLimit ?? null;
  if (pace === undefined || rateLimit === null) return Infinity;
  const since = performance.now() - pace;
  if (since < 0) return 0;
  return 1 + Math.floor((Math.min(since, grain) * rateLimit) / 1_000);
}

/** The pace after so many messages. */
export function paceAfter(pace: number, messages: number, rateLimit: number | null): number {
  if (rateLimit === null || messages === 0) return pace;
  const begins = Math.max(pace, performance.now() - grain);
  return begins + (messages * 1_000) / rateLimit;
}
