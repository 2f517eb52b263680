import { setTimeout as pause } from 'node:timers/promises';
import { inTransaction, type EntityManager, type Orm } from '../../../platform/database/orm.ts';
import { hashedListsSettings } from '../../../platform/database/planner.ts';
import { fanOut, promiseDispatch, type FannedOut, type FanOutRequest } from './fan-out.ts';
import { fanOutEach, type OnSetAside } from './fan-out-each.ts';
import { dueEvents, maxRetried, nextEvents, poisonReason } from './poison-events.ts';
import { initialScan, scanFrom, scanned, type ScanPosition } from './scan-position.ts';

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

const timesMs = {
  turn: 30_000,
  /** A turn that begins within this time after another one continues to poll for this time after the last event. */
  promise: 1_000,
  /** Interval between polls: initial and max. */
  poll: 40,
  maxPoll: 100,
} as const;

/** Min events per poll at which the turn polls at the max interval, to save queries. */
const busyEvents = 50;

/** Events per statement: first, and max. Adjusted to create about `messages` messages, which is also their max. */
const sizes = { first: 100, max: 1_000, messages: 5_000 } as const;

/**
 * Runs one turn for the outbox of a key: creates messages and wakes their endpoints. Events whose dispatch failed earlier
 * are retried after the others. `finished`: the outbox is empty, and no further retry is due.
 */
export async function dispatchDue(
  options: DispatchOptions,
  tenantId: string,
): Promise<{ readonly finished: boolean }> {
  const finished = await drainOutbox(options, tenantId);
  const { orm } = options;
  const events = await dueEvents(orm.em.fork(), tenantId);
  const retried = await fanOutEach(orm, { ...options, tenantId, table: 'poison_event', events });
  for (const { endpointId } of retried.reached) options.wake(endpointId);
  return { finished: finished && retried.events < maxRetried };
}

/** Returns whether the outbox is empty. */
async function drainOutbox(options: DispatchOptions, tenantId: string): Promise<boolean> {
  const { wake, signal } = options;
  const began = performance.now();
  const promises = new DispatchPromises(tenantId);
  let scan: ScanPosition<string> = initialScan;
  let batchSize: number = sizes.first;
  let pollMs: number = timesMs.poll;
  for (;;) {
    const polledAt = performance.now();
    const from = scanFrom(scan, polledAt);
    const fanned = await fanOutBatch(options, { tenantId, batchSize, from }, async (em, made) =>
      promises.renew(em, made, polledAt),
    );
    scan = scanned(scan, { from, last: fanned.last, startedAt: polledAt, endedAt: performance.now() });
    for (const { endpointId, drainingMs } of fanned.reached) {
      if (polledAt + drainingMs < performance.now()) wake(endpointId);
    }
    const drained = fanned.found < batchSize && fanned.events === fanned.found;
    if (drained && promises.endedBefore(polledAt)) {
      if (from === undefined) return true;
      scan = { ...scan, wholeAt: 0 };
      continue;
    }
    if (signal.aborted || polledAt - began > timesMs.turn) return false;
    if (fanned.events >= busyEvents) pollMs = timesMs.maxPoll;
    else pollMs = fanned.events > 0 ? timesMs.poll : Math.min(pollMs * 1.5, timesMs.maxPoll);
    if (drained) await pause(pollMs);
    batchSize = nextSize(batchSize, fanned);
  }
}

/**
 * The promises of one turn to poll the outbox. After a pause of the key, a turn makes none: its slot serves another key, and
 * the next event wakes a turn that promises.
 */
class DispatchPromises {
  readonly #tenantId: string;
  #until: number | undefined;

  constructor(tenantId: string) {
    this.#tenantId = tenantId;
  }

  /** Call it in the transaction of a poll. */
  async renew(em: EntityManager, { events, drainingMs }: FannedOut, polledAt: number): Promise<void> {
    const first = this.#until === undefined;
    // Keeps the promise of an earlier turn that was aborted.
    this.#until ??= drainingMs !== null && drainingMs > 0 ? performance.now() + drainingMs : 0;
    if (events === 0 || this.#until - polledAt >= timesMs.promise / 2) return;
    const forMs = first && (drainingMs ?? -Infinity) < -timesMs.promise ? 0 : timesMs.promise;
    await promiseDispatch(em, this.#tenantId, forMs);
    if (forMs > 0) this.#until = performance.now() + forMs;
  }

  /** Returns whether a poll at that time was after every promise. */
  endedBefore(polledAt: number): boolean {
    return polledAt > (this.#until ?? 0);
  }
}

/** Fans out a batch in one transaction with `promise`; one by one when the data of an event fails the batch. */
async function fanOutBatch(
  { orm, kinds, firstWaitMs, onSetAside, signal }: DispatchOptions,
  { tenantId, batchSize, from }: Pick<FanOutRequest, 'tenantId' | 'batchSize' | 'from'>,
  promise: (em: EntityManager, made: FannedOut) => Promise<void>,
): Promise<FannedOut> {
  const request = { tenantId, kinds, firstWaitMs };
  try {
    return await inTransaction(
      orm,
      async (em) => {
        const made = await fanOut(em, { ...request, batchSize, from, maxMessages: sizes.messages });
        await promise(em, made);
        return made;
      },
      hashedListsSettings,
    );
  } catch (error) {
    if (poisonReason(error) === undefined) throw error;
    const events = await nextEvents(orm.em.fork(), tenantId, batchSize);
    return fanOutEach(orm, { ...request, table: 'outbox', events, onSetAside, signal });
  }
}

function nextSize(batchSize: number, { events, found, deliveries }: FannedOut): number {
  if (events > 0 && deliveries > sizes.messages / 2)
    return Math.min(sizes.max, Math.max(1, Math.floor((events * sizes.messages) / deliveries)));
  return found === batchSize ? Math.min(sizes.max, batchSize * 2) : batchSize;
}
