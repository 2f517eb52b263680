import { setTimeout as pause } from 'node:timers/promises';
import { inTransaction, type EntityManager, type Orm } from '../../../platform/database/orm.ts';
import { fanOut, promiseDispatch, type FannedOut, type FanOutRequest } from './fan-out.ts';
import { fanOutEach, type OnSetAside } from './fan-out-each.ts';
import { dueEvents, nextEvents, poisonReason } from './poison-events.ts';

export interface DispatchOptions {
  readonly orm: Orm;
  /** Kinds of endpoint rows that are served. */
  readonly kinds: readonly number[];
  /** Milliseconds before the first attempt. */
  readonly firstWaitMs: number;
  /** Wakes the delivery workflow of an endpoint, by public id. */
  readonly wake: (endpointId: string) => void;
  readonly onSetAside: OnSetAside;
  /** Aborts the turn after its current batch. */
  readonly signal: AbortSignal;
}

/** Milliseconds. */
const times = {
  turn: 30_000,
  /** The turn polls for this long after the last event. */
  promise: 1_000,
  /** Interval between polls: initial and max. */
  pollMs: 40,
  maxPollMs: 100,
} as const;

/** From this many events per poll, the turn polls at the max interval to save queries. */
const many = 50;

/** Events per statement, adjusted to create about `messages` messages. */
const sizes = { min: 10, first: 100, max: 500, messages: 2_000 } as const;

/**
 * Runs one turn for the outbox of a key: creates messages and wakes their endpoints. Events whose dispatch failed earlier
 * are retried after the others. `finished`: the outbox is empty.
 */
export async function dispatchDue(
  options: DispatchOptions,
  tenantId: string,
): Promise<{ readonly finished: boolean }> {
  const finished = await drainOutbox(options, tenantId);
  const { orm } = options;
  const events = await dueEvents(orm.em.fork(), tenantId);
  const { reached } = await fanOutEach(orm, { ...options, tenantId, from: 'poison_event', events });
  for (const { endpointId } of reached) options.wake(endpointId);
  return { finished };
}

/** Returns whether the outbox is empty. */
async function drainOutbox(options: DispatchOptions, tenantId: string): Promise<boolean> {
  const { wake, signal } = options;
  const began = performance.now();
  let promisedUntil: number | undefined;
  let batchSize: number = sizes.first;
  let pollMs: number = times.pollMs;
  for (;;) {
    const polledAt = performance.now();
    const fanned = await fanOutBatch(options, { tenantId, batchSize }, async (em, made) => {
      // Keeps the promise of an earlier turn that was aborted.
      promisedUntil ??= performance.now() + made.drainingMs;
      if (made.events > 0 && promisedUntil - polledAt < times.promise / 2) {
        await promiseDispatch(em, tenantId, times.promise);
        promisedUntil = performance.now() + times.promise;
      }
    });
    for (const { endpointId, drainingMs } of fanned.reached) {
      if (polledAt + drainingMs < performance.now()) wake(endpointId);
    }
    if (fanned.events === 0 && polledAt > (promisedUntil ?? 0)) return true;
    if (signal.aborted || polledAt - began > times.turn) return false;
    if (fanned.events >= many) pollMs = times.maxPollMs;
    else pollMs = fanned.events > 0 ? times.pollMs : Math.min(pollMs * 1.5, times.maxPollMs);
    if (fanned.events < batchSize) await pause(pollMs);
    batchSize = nextSize(batchSize, fanned);
  }
}

/** Fans out a batch in one transaction with `promise`; one by one when the data of an event fails the batch. */
async function fanOutBatch(
  { orm, kinds, firstWaitMs, onSetAside, signal }: DispatchOptions,
  { tenantId, batchSize }: Pick<FanOutRequest, 'tenantId' | 'batchSize'>,
  promise: (em: EntityManager, made: FannedOut) => Promise<void>,
): Promise<FannedOut> {
  const request = { tenantId, kinds, firstWaitMs };
  try {
    return await inTransaction(orm, async (em) => {
      const made = await fanOut(em, { ...request, batchSize });
      await promise(em, made);
      return made;
    });
  } catch (error) {
    if (poisonReason(error) === undefined) throw error;
    const events = await nextEvents(orm.em.fork(), tenantId, batchSize);
    return fanOutEach(orm, { ...request, from: 'outbox', events, onSetAside, signal });
  }
}

function nextSize(batchSize: number, { events, deliveries }: FannedOut): number {
  if (deliveries > sizes.messages)
    return Math.max(sizes.min, Math.floor((batchSize * sizes.messages) / deliveries));
  return events === batchSize ? Math.min(sizes.max, batchSize * 2) : batchSize;
}
