import { LRUCache } from 'lru-cache';
import { HeldAmounts } from '../process/held-amounts.ts';

/** Numbers of connections to a provider. */
export interface ShareLimits {
  readonly all: number;
  readonly perKey: number;
  /** Reserved for keys that have none. */
  readonly spare: number;
  /** Max connections of all keys whose last attempt was slow; each key has at most one. */
  readonly slow: number;
  /** Time beyond which an attempt is slow. */
  readonly slowMs: number;
  /** Time for which a key keeps its connections while others wait: long enough to record several attempts at once. */
  readonly turnMs: number;
}

/** Max connections of a process to a provider, in total and for one key. */
export const maxConnections = { all: 20, perKey: 5 } as const;

const defaults: ShareLimits = { ...maxConnections, spare: 7, slow: 4, slowMs: 10_000, turnMs: 250 };

/** Max keys that are remembered as slow, and for how long in milliseconds. */
const slowKeys = { max: 10_000, ttl: 600_000 } as const;

/** Gives a connection to a waiting caller. */
type Serve = () => void;

/** A connection that a key may use until `end` is called. */
export interface Share {
  end(): void;
}

/**
 * Shares the connections to a provider among keys, which take turns. Hanging attempts of one key occupy few of them and
 * delay no other key.
 */
export class ProviderConnections {
  readonly #limits: ShareLimits;
  readonly #taken = new HeldAmounts();
  /** When the turn of each key with a connection began, by `performance.now()`. */
  readonly #turns = new Map<string, number>();
  readonly #slow = new LRUCache<string, true>(slowKeys);
  /** By key, in the order of their turns. */
  readonly #waiting = new Map<string, Set<Serve>>();
  #takenBySlow = 0;

  constructor(limits: Partial<ShareLimits> = {}) {
    this.#limits = { ...defaults, ...limits };
  }

  /** Waits up to `waitMs` for a connection. Returns undefined when none became free. */
  async take(key: string, waitMs: number): Promise<Share | undefined> {
    if (this.#mayTake(key)) return this.#share(key);
    if (waitMs <= 0) return undefined;
    const served = Promise.withResolvers<Share | undefined>();
    const serve = (): void => served.resolve(this.#share(key));
    const ofKey = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, ofKey.add(serve));
    const late = setTimeout(() => served.resolve(undefined), waitMs);
    try {
      return await served.promise;
    } finally {
      clearTimeout(late);
      this.#leave(key, serve);
    }
  }

  get #free(): number {
    return this.#limits.all - this.#taken.all;
  }

  #mayTake(key: string): boolean {
    const { perKey, spare, slow } = this.#limits;
    const own = this.#taken.of(key);
    if (this.#slow.has(key)) return own === 0 && this.#takenBySlow < slow && this.#free > 0;
    return own < perKey && this.#free > (own === 0 ? 0 : spare);
  }

  #share(key: string): Share {
    const began = performance.now();
    const isSlow = this.#slow.has(key);
    this.#taken.change(key, 1);
    if (!this.#turns.has(key)) this.#turns.set(key, began);
    if (isSlow) this.#takenBySlow += 1;
    return {
      end: () => {
        this.#taken.change(key, -1);
        if (isSlow) this.#takenBySlow -= 1;
        if (performance.now() - began > this.#limits.slowMs) this.#slow.set(key, true);
        else this.#slow.delete(key);
        this.#pass(key);
      },
    };
  }

  /** Passes a connection on: to the same key during its turn, otherwise to the next keys. */
  #pass(key: string): void {
    const hasTurn = performance.now() - (this.#turns.get(key) ?? 0) < this.#limits.turnMs;
    if (hasTurn && this.#mayTake(key)) this.#serve(key);
    if (this.#taken.of(key) === 0) this.#turns.delete(key);
    for (const next of this.#waiting.keys()) {
      if (this.#free === 0) return;
      if (this.#mayTake(next)) this.#serve(next);
    }
  }

  /** Serves the first waiting caller of the key. The next turn of the key comes after those of others. */
  #serve(key: string): void {
    const ofKey = this.#waiting.get(key);
    const [serve] = ofKey ?? [];
    if (ofKey === undefined || serve === undefined) return;
    this.#leave(key, serve);
    // Unless `#leave` has removed the key: its set without callers would stay.
    if (this.#waiting.delete(key)) this.#waiting.set(key, ofKey);
    serve();
  }

  #leave(key: string, serve: Serve): void {
    const ofKey = this.#waiting.get(key);
    if (ofKey?.delete(serve) === true && ofKey.size === 0) this.#waiting.delete(key);
  }
}
