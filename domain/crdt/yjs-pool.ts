import { HeldAmounts } from '../../platform/process/held-amounts.ts';
import { unavailable } from '../errors.ts';
import type { YjsOutcome, YjsWork } from './yjs-work.ts';

/** Max wait for a free runner. */
export const maxWaitMs = 10_000;

/** Max bytes of the work that waits for a runner, of one owner and of all: each call holds the state of its record. */
export const maxWaitingBytes = { owner: 33_554_432, all: 67_108_864 } as const;

/**
 * `too-costly`: exceeded the limit of CPU time or memory. `failed`: an error of Steward or of Yjs, on content that was
 * accepted.
 */
export type YjsResponse = YjsOutcome | { readonly refused: 'too-costly' } | { readonly failed: Error };

/** `interrupted`: ended for a reason outside of the work, which may succeed later. */
export type RunnerResponse = YjsResponse | { readonly refused: 'interrupted' };

/** Runs one call at a time. A runner whose call exceeds a limit or is interrupted is not alive afterwards. */
export interface YjsRunner {
  readonly alive: boolean;
  readonly run: (work: YjsWork) => Promise<RunnerResponse>;
}

interface Waiting {
  readonly owner: string;
  readonly bytes: number;
  readonly take: (runner: YjsRunner) => void;
  /** Ends the wait with UNAVAILABLE. */
  readonly refuse: () => void;
}

/** Bytes that each call occupies in addition to its content. */
const callBytes = 4_096;

/** The bytes that a call occupies in this process. */
function bytesOf({ base, change }: YjsWork): number {
  const sent =
    change.kind === 'none' ? 0 : change.kind === 'merge' ? change.update.length : change.json.length;
  return base.reduce((sum, { bytes }) => sum + bytes.length, callBytes + sent);
}

/**
 * Runs Yjs work on up to `size` runners, started on demand and replaced when they end. One owner never holds all of them,
 * and waiting owners are served in turn.
 */
export class YjsPool {
  readonly #size: number;
  readonly #start: () => YjsRunner;
  readonly #maxWaitMs: number;
  readonly #idle: YjsRunner[] = [];
  readonly #waiting: Waiting[] = [];
  /** Number of runners by owner. */
  readonly #taken = new HeldAmounts();
  /** The number of the last call of each owner with waiting or running calls. */
  readonly #served = new Map<string, number>();
  #calls = 0;
  #living = 0;

  constructor(size: number, start: () => YjsRunner, waitMs = maxWaitMs) {
    this.#size = size;
    this.#start = start;
    this.#maxWaitMs = waitMs;
  }

  /**
   * Throws UNAVAILABLE when no runner is free within `maxWaitMs`, at once beyond `maxWaitingBytes`, and for interrupted
   * work.
   */
  async run(owner: string, work: YjsWork): Promise<YjsResponse> {
    const runner = this.#free(owner) ?? (await this.#wait(owner, bytesOf(work)));
    try {
      const response = await runner.run(work);
      if ('refused' in response && response.refused === 'interrupted') throw unavailable();
      return response;
    } finally {
      this.#release(owner, runner);
    }
  }

  #mayTake(owner: string): boolean {
    return this.#taken.of(owner) < Math.max(1, this.#size - 1);
  }

  #take(owner: string): void {
    this.#taken.change(owner, 1);
    this.#calls += 1;
    this.#served.set(owner, this.#calls);
  }

  #free(owner: string): YjsRunner | undefined {
    if (!this.#mayTake(owner)) return undefined;
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (idle.alive) {
        this.#take(owner);
        return idle;
      }
      this.#living -= 1;
    }
    if (this.#living === this.#size) return undefined;
    const started = this.#started();
    if (started === undefined) throw unavailable();
    this.#living += 1;
    this.#take(owner);
    return started;
  }

  /** An owner whose work alone exceeds the limit of an owner may wait: a state has up to 32 MiB. */
  #hasRoom(owner: string, bytes: number): boolean {
    const waiting = { owner: 0, all: 0 };
    for (const one of this.#waiting) {
      waiting.all += one.bytes;
      if (one.owner === owner) waiting.owner += one.bytes;
    }
    const ownFits = waiting.owner === 0 || waiting.owner + bytes <= maxWaitingBytes.owner;
    return ownFits && waiting.all + bytes <= maxWaitingBytes.all;
  }

  async #wait(owner: string, bytes: number): Promise<YjsRunner> {
    if (!this.#hasRoom(owner, bytes)) throw unavailable();
    return new Promise<YjsRunner>((resolve, reject) => {
      const refuse = (): void => {
        clearTimeout(timer);
        this.#forget(owner);
        reject(unavailable());
      };
      const waiting = {
        owner,
        bytes,
        take: (runner: YjsRunner): void => {
          clearTimeout(timer);
          resolve(runner);
        },
        refuse,
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        refuse();
      }, this.#maxWaitMs);
      this.#waiting.push(waiting);
    });
  }

  #release(owner: string, runner: YjsRunner): void {
    this.#taken.change(owner, -1);
    const next = this.#next();
    const usable = runner.alive ? runner : next && this.#started();
    if (next !== undefined && usable !== undefined) {
      this.#take(next.owner);
      next.take(usable);
    } else {
      next?.refuse();
      if (usable !== undefined) this.#idle.push(usable);
      else this.#living -= 1;
    }
    this.#forget(owner);
  }

  /** A new runner; undefined at a limit of the system for processes or threads. */
  #started(): YjsRunner | undefined {
    try {
      return this.#start();
    } catch {
      return undefined;
    }
  }

  /** Takes the next call: the first one of the owner that was served least recently. */
  #next(): Waiting | undefined {
    let next: Waiting | undefined;
    for (const waiting of this.#waiting) {
      if (this.#mayTake(waiting.owner) && (!next || this.#turnOf(waiting) < this.#turnOf(next)))
        next = waiting;
    }
    if (next !== undefined) this.#waiting.splice(this.#waiting.indexOf(next), 1);
    return next;
  }

  #turnOf({ owner }: Waiting): number {
    return this.#served.get(owner) ?? 0;
  }

  #forget(owner: string): void {
    if (this.#taken.of(owner) === 0 && !this.#waiting.some((waiting) => waiting.owner === owner))
      this.#served.delete(owner);
  }
}
