import { messages } from '../../../domain/messages.ts';
import { TransportError } from '../response/transport-error.ts';

/** Max wait of a transaction for others of its owner, as long as that for a connection of the pool. */
const maxWaitMs = 10_000;

interface Share {
  running: number;
  /** Start the waiting transactions, in order of arrival. */
  readonly waiting: Set<() => void>;
}

/**
 * Shares the database connections of an API process between its callers. Transactions of one owner (an API key, a
 * workspace or the operator) use at most three quarters of the pool, and further ones wait in order of arrival. Otherwise
 * a transaction of another owner would wait behind all of them: for 9.6 s beside 200 deletions of one key.
 */
export class ConnectionShares {
  readonly #maxPerOwner: number;
  readonly #maxWaitMs: number;
  readonly #shares = new Map<string, Share>();

  constructor(options: { readonly poolSize: number; readonly maxWaitMs?: number }) {
    this.#maxPerOwner = Math.max(1, Math.floor((options.poolSize * 3) / 4));
    this.#maxWaitMs = options.maxWaitMs ?? maxWaitMs;
  }

  /** Runs a transaction when it is the owner's turn. Rejects with UNAVAILABLE after a wait of 10 s. Calls must not nest. */
  async run<Result>(owner: string, transaction: () => Promise<Result>): Promise<Result> {
    const share = this.#shares.get(owner) ?? { running: 0, waiting: new Set() };
    this.#shares.set(owner, share);
    if (share.running < this.#maxPerOwner) share.running += 1;
    else await this.#turn(share);
    try {
      return await transaction();
    } finally {
      this.#pass(owner, share);
    }
  }

  /** Resolves when a transaction that ends has passed its place on. */
  async #turn({ waiting }: Share): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(start);
        reject(tooMany());
      }, this.#maxWaitMs);
      waiting.add(start);
    });
  }

  #pass(owner: string, share: Share): void {
    const [next] = share.waiting;
    if (next !== undefined) {
      share.waiting.delete(next);
      next();
      return;
    }
    share.running -= 1;
    if (share.running === 0) this.#shares.delete(owner);
  }
}

const tooMany = (): TransportError =>
  new TransportError('UNAVAILABLE', messages.unavailable, {
    headers: { 'Retry-After': '5' },
    refusal: 'connection_share',
  });
