import { setTimeout as pause } from 'node:timers/promises';
import {
  enterCalls,
  leaveCalls,
  leaveOtherCalls,
  runningCalls,
  type CallQueue,
} from '../../../domain/limits/limited-calls.ts';
import { withConnectionsOfAll } from '../../../platform/database/connection-shares.ts';
import { inTransaction, type Orm } from '../../../platform/database/orm.ts';

export interface ConcurrentCallsOptions {
  readonly orm: Orm;
  /** The id of this process in the table `process`, whose heartbeats keep its calls. */
  readonly processId: string;
  /** Whether the database was reached lately without an interruption, see `Registration`. */
  readonly steady: () => boolean;
  /** Max calls of one key and kind that wait in this process. */
  readonly maxWaiting?: number;
}

/** Milliseconds between checks for ended calls of other processes. Runs only while calls wait. */
const pollMs = 200;

/** Max calls that one statement enters. */
const maxBatch = 1_000;

/** The queue of a call, and its max number of concurrent calls. */
export type CallLimit = CallQueue & { readonly max: number };

interface WaitingCall {
  readonly queue: CallLimit;
  /** Gives up instead of waiting for other calls to end. */
  readonly noWait: boolean;
  /** Receives the id of the call's row when it may run; undefined when it gives up. */
  readonly resolve: (id: string | undefined) => void;
  readonly reject: (error: unknown) => void;
  aborted: boolean;
}

interface EndedCall {
  readonly id: string;
  /** Called after the first attempt to delete the row. */
  readonly left?: () => void;
}

/** Ends a call. Resolves when other calls may run instead, or after a failure of PostgreSQL; never rejects. */
export type Release = () => Promise<void>;

const nameOf = ({ kind, tenantId }: CallQueue): string => `${kind}/${tenantId}`;

/**
 * Limits the concurrent calls of a key over all API processes: the oldest run, the others wait in order of arrival.
 * Each call is a row, so the limit is exact. A call costs two statements before it and one after it, shared with
 * concurrent calls. Calls of a crashed process stop counting after 5 s, or after an outage of the database within 60 s.
 */
export class ConcurrentCalls {
  readonly #options: ConcurrentCallsOptions;
  #arrived: WaitingCall[] = [];
  /** By the id of their rows, in order. */
  readonly #waiting = new Map<string, WaitingCall>();
  /** Rows of calls that run. */
  readonly #running = new Set<string>();
  /** Rows of calls that have ended. */
  #ended: EndedCall[] = [];
  /** Queues, by name, in which a failed statement may have committed rows that no call here knows. */
  readonly #unconfirmed = new Map<string, CallQueue>();
  #working = false;
  #wake = Promise.withResolvers<undefined>();

  constructor(options: ConcurrentCallsOptions) {
    this.#options = options;
  }

  /**
   * Resolves with the release function; with undefined when too many calls wait or, without `signal`, when the call
   * would wait. Rejects when `signal` aborts first, or PostgreSQL fails before the call is queued.
   */
  async acquire(queue: CallLimit, signal?: AbortSignal): Promise<Release | undefined> {
    signal?.throwIfAborted();
    if (this.#countWaiting(queue) >= (this.#options.maxWaiting ?? 1_000)) return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
    const call = { queue, noWait: signal === undefined, resolve, reject, aborted: false };
    const aborted = (): void => {
      call.aborted = true;
      reject(signal?.reason as Error);
      this.#work();
    };
    signal?.addEventListener('abort', aborted, { once: true });
    this.#arrived.push(call);
    this.#work();
    try {
      const id = await promise;
      return id === undefined ? undefined : async () => this.#end(id);
    } finally {
      signal?.removeEventListener('abort', aborted);
    }
  }

  #countWaiting(queue: CallQueue): number {
    const name = nameOf(queue);
    let count = 0;
    for (const call of this.#arrived) if (nameOf(call.queue) === name) count += 1;
    for (const call of this.#waiting.values()) if (nameOf(call.queue) === name) count += 1;
    return count;
  }

  async #end(id: string): Promise<void> {
    if (!this.#running.delete(id)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ended.push({ id, left: resolve });
    this.#work();
    await promise;
  }

  /** Starts the turns, or wakes them. Not awaited: `#turns` never throws. */
  #work(): void {
    this.#wake.resolve(undefined);
    if (this.#working) return;
    this.#working = true;
    void withConnectionsOfAll(async () => this.#turns());
  }

  /**
   * Sends the statements one after another while calls arrive, wait or end. Each step returns false when PostgreSQL failed;
   * the next turn repeats its unfinished work. Calls that have no row yet are rejected at each failure: otherwise they would
   * wait for the end of an outage.
   */
  async #turns(): Promise<void> {
    while (this.#arrived.length + this.#waiting.size + this.#ended.length + this.#unconfirmed.size > 0) {
      this.#wake = Promise.withResolvers();
      const succeeded =
        (await this.#deleteEnded()) &&
        (await this.#deleteUnconfirmed()) &&
        (await this.#insertArrived()) &&
        (await this.#admit());
      const isIdle = this.#arrived.length + this.#ended.length === 0;
      if (!succeeded || (isIdle && this.#waiting.size > 0)) {
        const wakes = succeeded ? [this.#wake.promise] : [];
        await Promise.race([pause(pollMs, undefined, { ref: false }), ...wakes]);
      }
    }
    this.#working = false;
  }

  async #deleteEnded(): Promise<boolean> {
    const leaving = this.#ended;
    if (leaving.length === 0) return true;
    this.#ended = [];
    const ids = leaving.map(({ id }) => id);
    const succeeded = await this.#try(leaveCalls(this.#em, ids), (error) => {
      this.#ended.push(...ids.map((id) => ({ id })));
      this.#refuse(error);
    });
    for (const { left } of leaving) left?.();
    return succeeded;
  }

  #refuse(error: unknown): void {
    for (const { reject } of this.#arrived.splice(0)) reject(error);
  }

  /** Turns are serial, so every row of this process is that of a waiting or running call, or left by a failure. */
  async #deleteUnconfirmed(): Promise<boolean> {
    if (this.#unconfirmed.size === 0) return true;
    const kept = [...this.#waiting.keys(), ...this.#running];
    const { orm, processId } = this.#options;
    const cleared = inTransaction(orm, async (em) =>
      leaveOtherCalls(em, processId, [...this.#unconfirmed.values()], kept),
    ).then(() => this.#unconfirmed.clear());
    return this.#try(cleared, (error) => this.#refuse(error));
  }

  async #insertArrived(): Promise<boolean> {
    const entering = this.#arrived.splice(0, maxBatch).filter(({ aborted }) => !aborted);
    if (entering.length === 0) return true;
    const queues = entering.map(({ queue }) => queue);
    const entered = enterCalls(this.#em, this.#options.processId, queues).then((ids) => {
      for (const [index, id] of ids.entries()) {
        const call = entering[index];
        if (call !== undefined) this.#waiting.set(id, call);
      }
    });
    return this.#try(entered, (error) => {
      // The rows are committed when only the response was lost.
      for (const { queue, reject } of entering) {
        this.#unconfirmed.set(nameOf(queue), queue);
        reject(error);
      }
    });
  }

  async #admit(): Promise<boolean> {
    for (const [id, { aborted }] of this.#waiting) if (aborted) this.#abandon(id);
    if (this.#waiting.size === 0) return true;
    // The limit of the most recent call of a queue applies to all of them.
    const queues = new Map([...this.#waiting.values()].map(({ queue }) => [nameOf(queue), queue]));
    const running = runningCalls(
      this.#em,
      this.#options.processId,
      [...queues.values()],
      this.#options.steady(),
    ).then((ids) => {
      // Rows whose insertion was committed without a response. Rows that ended meanwhile are deleted twice.
      for (const id of ids) if (!this.#waiting.has(id) && !this.#running.has(id)) this.#ended.push({ id });
      for (const [id, call] of this.#waiting) {
        if (call.aborted) this.#abandon(id);
        else if (ids.has(id)) {
          this.#waiting.delete(id);
          this.#running.add(id);
          call.resolve(id);
        } else if (call.noWait) {
          this.#abandon(id);
          call.resolve(undefined);
        }
      }
    });
    return this.#try(running, (error) => {
      for (const [id, { noWait, reject }] of this.#waiting) {
        if (!noWait) continue;
        this.#abandon(id);
        reject(error);
      }
    });
  }

  #abandon(id: string): void {
    this.#waiting.delete(id);
    this.#ended.push({ id });
  }

  get #em() {
    return this.#options.orm.em.fork();
  }

  async #try(work: Promise<unknown>, onFailure: (error: unknown) => void): Promise<boolean> {
    try {
      await work;
      return true;
    } catch (error) {
      onFailure(error);
      return false;
    }
  }
}
