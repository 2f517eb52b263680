import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';

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
}

/** Max connections of a process to a provider, in total and for one key. */
export const maxConnections = { all: 20, perKey: 5 } as const;

const defaults: ShareLimits = { ...maxConnections, spare: 7, slow: 4, slowMs: 10_000 };

/** Max keys that are remembered as slow, and for how long in milliseconds. */
const slowKeys = { max: 10_000, ttl: 600_000 } as const;

interface Waiting {
  readonly key: string;
  readonly take: () => void;
}

/** A connection that a key may use until `end` is called. */
export interface Share {
  end(): void;
}

/** Shares the connections to a provider among keys. Hanging attempts of one key occupy few of them and delay no other key. */
export class ConnectionShares {
  readonly #limits: ShareLimits;
  readonly #taken = new Map<string, number>();
  readonly #slow = new LRUCache<string, true>(slowKeys);
  readonly #waiting = new Set<Waiting>();
  #free: number;
  #takenBySlow = 0;

  constructor(limits: Partial<ShareLimits> = {}) {
    this.#limits = { ...defaults, ...limits };
    this.#free = this.#limits.all;
  }

  /** Waits up to `waitMs` for a connection, in order of arrival. Returns undefined when none became free. */
  async take(key: string, waitMs: number): Promise<Share | undefined> {
    if (this.#mayTake(key)) return this.#share(key);
    if (waitMs <= 0) return undefined;
    const served = Promise.withResolvers<Share | undefined>();
    const waiting = { key, take: () => served.resolve(this.#share(key)) };
    this.#waiting.add(waiting);
    const over = new AbortController();
    const late = pause(waitMs, undefined, { signal: over.signal });
    late.then(
      () => served.resolve(undefined),
      () => undefined,
    );
    try {
      return await served.promise;
    } finally {
      over.abort();
      this.#waiting.delete(waiting);
    }
  }

  #mayTake(key: string): boolean {
    const { perKey, spare, slow } = this.#limits;
    const own = this.#taken.get(key) ?? 0;
    if (this.#slow.has(key)) return own === 0 && this.#takenBySlow < slow && this.#free > 0;
    return own < perKey && this.#free > (own === 0 ? 0 : spare);
  }

  #share(key: string): Share {
    const began = performance.now();
    const isSlow = this.#slow.has(key);
    this.#free -= 1;
    this.#taken.set(key, (this.#taken.get(key) ?? 0) + 1);
    if (isSlow) this.#takenBySlow += 1;
    return {
      end: () => {
        this.#free += 1;
        if (isSlow) this.#takenBySlow -= 1;
        const own = (this.#taken.get(key) ?? 0) - 1;
        if (own === 0) this.#taken.delete(key);
        else this.#taken.set(key, own);
        if (performance.now() - began > this.#limits.slowMs) this.#slow.set(key, true);
        else this.#slow.delete(key);
        this.#serve();
      },
    };
  }

  #serve(): void {
    for (const waiting of this.#waiting) {
      if (!this.#mayTake(waiting.key)) continue;
      this.#waiting.delete(waiting);
      waiting.take();
    }
  }
}
