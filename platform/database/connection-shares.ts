import { AsyncLocalStorage } from 'node:async_hooks';

/** The owner of the running call: undefined for work on behalf of all of them. */
const currentOwner = new AsyncLocalStorage<string | undefined>();

/** Runs a call whose statements and transactions use the owner's share of the connections. */
export const withConnectionsOf = <Result>(owner: string, act: () => Result): Result =>
  currentOwner.run(owner, act);

/** Runs work that a call starts on behalf of all owners, such as a shared statement. It counts against no owner's share. */
export const withConnectionsOfAll = <Result>(act: () => Result): Result => currentOwner.run(undefined, act);

interface Share {
  used: number;
  /** Resolve the waits for a connection, in order of arrival. */
  readonly waiting: Set<() => void>;
}

export interface ConnectionSharesOptions {
  readonly poolSize: number;
  /** Max wait of an owner's calls for others of the same owner. */
  readonly maxWaitMs: number;
}

/**
 * Shares the connections of a pool between the owners of calls, such as API keys. One owner uses at most three quarters of
 * them; its further calls wait in order of arrival. Otherwise the calls of others would wait behind all of them, as the
 * pool serves in order of arrival: a write took 9.6 s beside 200 deletions of another key.
 */
export class ConnectionShares {
  readonly #maxPerOwner: number;
  readonly #maxWaitMs: number;
  readonly #shares = new Map<string, Share>();

  /** Calls that wait for others of the same owner. */
  get waiting(): number {
    return [...this.#shares.values()].reduce((sum, { waiting }) => sum + waiting.size, 0);
  }

  constructor({ poolSize, maxWaitMs }: ConnectionSharesOptions) {
    this.#maxPerOwner = Math.max(1, Math.floor((poolSize * 3) / 4));
    this.#maxWaitMs = maxWaitMs;
  }

  /**
   * Waits until the running call's owner may use one more connection. Resolves with the function that releases it, to
   * be called once. Rejects like the pool when the wait takes too long.
   */
  async take(): Promise<() => void> {
    const owner = currentOwner.getStore();
    if (owner === undefined) return () => undefined;
    const share = this.#shares.get(owner) ?? { used: 0, waiting: new Set() };
    this.#shares.set(owner, share);
    if (share.used < this.#maxPerOwner) share.used += 1;
    else await this.#turn(share);
    return () => this.#pass(owner, share);
  }

  /** Resolves when another call of the owner passes its connection on. */
  async #turn({ waiting }: Share): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const go = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(go);
        reject(new Error('timeout exceeded when trying to connect: the owner uses its share of the pool'));
      }, this.#maxWaitMs);
      waiting.add(go);
    });
  }

  #pass(owner: string, share: Share): void {
    const [next] = share.waiting;
    if (next !== undefined) {
      share.waiting.delete(next);
      next();
      return;
    }
    share.used -= 1;
    if (share.used === 0) this.#shares.delete(owner);
  }
}
