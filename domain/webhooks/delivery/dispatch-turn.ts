import { setTimeout as pause } from 'node:timers/promises';
import { inTransaction, type Orm } from '../../../platform/database/orm.ts';
import { fanOut, promiseDispatch, type FannedOut } from './fan-out.ts';

export interface DispatchOptions {
  readonly orm: Orm;
  /** Kinds of endpoint rows that are served. */
  readonly kinds: readonly number[];
  /** Milliseconds before the first attempt. */
  readonly firstWait: number;
  /** Wakes the deliverer of an endpoint; public id. */
  readonly wake: (endpointId: string) => void;
  /** Ends the turn soon. */
  readonly signal: AbortSignal;
}

/** Milliseconds. */
const times = {
  turn: 30_000,
  /** It looks for more for this long after the last event. */
  promise: 1_000,
  /** Between two looks, at first and at most. */
  look: 40,
  longestLook: 100,
} as const;

/** Events of one look from which on it looks as seldom as it may: they come so fast that each look costs more than it gains. */
const many = 50;

/** Events of one statement: as many as make about so many messages. */
const sizes = { least: 10, first: 100, most: 500, messages: 2_000 } as const;

/** One turn for the outbox of a key: makes messages of its events and wakes their endpoints. Says whether it came to the end. */
export async function dispatchDue(
  { orm, kinds, firstWait, wake, signal }: DispatchOptions,
  tenantId: string,
): Promise<{ readonly finished: boolean }> {
  const began = performance.now();
  let promisedUntil: number | undefined;
  let atOnce: number = sizes.first;
  let look: number = times.look;
  for (;;) {
    const looking = performance.now();
    const fanned = await inTransaction(orm, async (em) => {
      const made = await fanOut(em, { tenantId, atOnce, kinds, firstWait });
      // What a former turn has promised, which ended early, is kept.
      promisedUntil ??= performance.now() + made.drainingFor;
      if (made.events > 0 && promisedUntil - looking < times.promise / 2) {
        await promiseDispatch(em, tenantId, times.promise);
        promisedUntil = performance.now() + times.promise;
      }
      return made;
    });
    for (const { endpointId, drainingFor } of fanned.reached) {
      if (looking + drainingFor < performance.now()) wake(endpointId);
    }
    if (fanned.events === 0 && looking > (promisedUntil ?? 0)) return { finished: true };
    if (signal.aborted || looking - began > times.turn) return { finished: false };
    if (fanned.events >= many) look = times.longestLook;
    else look = fanned.events > 0 ? times.look : Math.min(look * 1.5, times.longestLook);
    if (fanned.events < atOnce) await pause(look);
    atOnce = nextSize(atOnce, fanned);
  }
}

function nextSize(atOnce: number, { events, deliveries }: FannedOut): number {
  if (deliveries > sizes.messages)
    return Math.max(sizes.least, Math.floor((atOnce * sizes.messages) / deliveries));
  return events === atOnce ? Math.min(sizes.most, atOnce * 2) : atOnce;
}
