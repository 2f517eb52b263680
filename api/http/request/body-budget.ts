import { frameMessages } from '../messages.ts';
import { TransportError } from '../response/transport-error.ts';

/** Byte and time limits of request bodies. */
export interface BudgetLimits {
  /** Max bytes of all bodies of the process. The bodies of one owner hold at most a quarter of it. */
  readonly bytes: number;
  /** Max body size over all endpoints. */
  readonly maxBodyBytes: number;
  /** Time after which a waiting body is refused. */
  readonly maxWaitMs: number;
}

/** The last eighth of each pool is reserved for bodies of up to this size, so that large bodies do not block them. */
const smallBodyBytes = 65_536;

interface Pool {
  /** Bytes that have arrived or are reserved. */
  taken: number;
  readonly limit: number;
  /** Limit of `taken` for bodies beyond `smallBodyBytes`. */
  readonly limitOfLarge: number;
  /** Number of open charges. */
  users: number;
}

interface Waiting {
  readonly charge: BodyCharge;
  readonly settle: (refusal?: TransportError) => void;
}

const poolOf = (limit: number): Pool => ({
  taken: 0,
  limit,
  limitOfLarge: Math.floor((limit * 7) / 8),
  users: 0,
});

/**
 * Limits the memory of request bodies in one process. A body is charged as its bytes arrive, while the pools of its
 * owner and of the process keep room for one max body. Otherwise it waits, in order of arrival, until its whole rest
 * can be reserved. Bodies cannot deadlock: room for one max body is always left, and a reserved body never waits.
 */
export class BodyBudget {
  readonly #process: Pool;
  readonly #owners = new Map<string, Pool>();
  readonly #waiting = new Set<Waiting>();
  readonly #ownerLimit: number;
  readonly #headroom: number;
  readonly #maxWaitMs: number;

  constructor({ bytes, maxBodyBytes, maxWaitMs }: BudgetLimits) {
    this.#process = poolOf(bytes);
    this.#ownerLimit = Math.floor(bytes / 4);
    this.#headroom = Math.min(maxBodyBytes, poolOf(this.#ownerLimit).limitOfLarge);
    this.#maxWaitMs = maxWaitMs;
  }

  /** Bytes now held or reserved. */
  get takenBytes(): number {
    return this.#process.taken;
  }

  /** Opens the charge of one body. Call its `release` once the body is no longer needed. */
  open(owner: string): BodyCharge {
    const pool = this.#owners.get(owner) ?? poolOf(this.#ownerLimit);
    if (pool.users === 0) this.#owners.set(owner, pool);
    pool.users += 1;
    return new BodyCharge(this, owner, pool);
  }

  /** Charges `bytes` now and returns undefined, or returns a promise that resolves once they are charged. */
  charge(charge: BodyCharge, bytes: number, rest: number): Promise<void> | undefined {
    const { small, whole } = this.#needOf(charge, bytes, rest);
    if (whole < bytes) throw noRoom();
    if (small ? this.#fits(charge, whole, small) : this.#fits(charge, bytes + this.#headroom, small)) {
      this.#take(charge, bytes, small ? whole - bytes : 0);
      return undefined;
    }
    charge.wanted = { bytes, rest };
    const admitted = this.#wait(charge);
    this.#admitWaiting();
    return charge.waiting === undefined ? undefined : admitted;
  }

  /** Returns bytes to both pools and admits waiting bodies. */
  free({ owner, pool }: BodyCharge, bytes: number, { last }: { readonly last: boolean }): void {
    pool.taken -= bytes;
    this.#process.taken -= bytes;
    if (last && (pool.users -= 1) === 0) this.#owners.delete(owner);
    if (this.#waiting.size > 0) this.#admitWaiting();
  }

  /** Resolves when the charge is admitted; rejects with UNAVAILABLE after `maxWaitMs`. */
  #wait(charge: BodyCharge): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.settle(noRoom());
        // Smaller bodies that arrived later may fit.
        this.#admitWaiting();
      }, this.#maxWaitMs);
      const waiting: Waiting = {
        charge,
        settle: (refusal) => {
          clearTimeout(timer);
          this.#waiting.delete(waiting);
          charge.waiting = undefined;
          if (refusal === undefined) resolve();
          else reject(refusal);
        },
      };
      charge.waiting = waiting;
      this.#waiting.add(waiting);
    });
  }

  /** Admits bodies in order of arrival. A large body that exceeds its owner's pool blocks only large bodies of that owner. */
  #admitWaiting(): void {
    const full = new Set<Pool>();
    for (const { charge, settle } of this.#waiting) {
      const { bytes, rest } = charge.wanted;
      const { small, whole } = this.#needOf(charge, bytes, rest);
      if (!small && (full.has(charge.pool) || full.has(this.#process))) continue;
      if (this.#fits(charge, whole, small)) {
        this.#take(charge, bytes, whole - bytes);
        settle();
      } else if (!small) {
        full.add(charge.pool.taken + whole > charge.pool.limitOfLarge ? charge.pool : this.#process);
      }
    }
  }

  /** Returns in `whole` the bytes that a reservation covers, capped at the owner's limit. */
  #needOf({ held, pool }: BodyCharge, bytes: number, rest: number): { small: boolean; whole: number } {
    const small = held + bytes + rest <= smallBodyBytes;
    const ceiling = small ? pool.limit : pool.limitOfLarge;
    return { small, whole: Math.min(bytes + rest, ceiling - held) };
  }

  #fits({ pool }: BodyCharge, bytes: number, small: boolean): boolean {
    return [pool, this.#process].every(
      ({ taken, limit, limitOfLarge }) => taken + bytes <= (small ? limit : limitOfLarge),
    );
  }

  #take(charge: BodyCharge, bytes: number, reserved: number): void {
    charge.pool.taken += bytes + reserved;
    this.#process.taken += bytes + reserved;
    charge.held += bytes;
    charge.reserved += reserved;
  }
}

/** The bytes that one body holds of the budget. */
export class BodyCharge {
  /** Bytes that have arrived. */
  held = 0;
  /** Reserved bytes that have not arrived. */
  reserved = 0;
  wanted = { bytes: 0, rest: 0 };
  waiting: Waiting | undefined;
  readonly owner: string;
  readonly pool: Pool;
  readonly #budget: BodyBudget;
  #released = false;

  constructor(budget: BodyBudget, owner: string, pool: Pool) {
    this.#budget = budget;
    this.owner = owner;
    this.pool = pool;
  }

  /**
   * Charges bytes that have arrived; `rest` is the max that may follow. When it returns a promise, read nothing until it
   * resolves. Throws, or rejects with, UNAVAILABLE.
   */
  take(bytes: number, rest: number): Promise<void> | undefined {
    if (this.#released) throw new Error('body charged after its release');
    if (bytes <= this.reserved) {
      this.reserved -= bytes;
      this.held += bytes;
      return undefined;
    }
    // A reservation covers the whole rest, unless the rest exceeds the owner's limit.
    if (this.reserved > 0) throw noRoom();
    return this.#budget.charge(this, bytes, rest);
  }

  /** Releases the unused reservation once the body is complete. */
  complete(): void {
    const { reserved } = this;
    this.reserved = 0;
    if (reserved > 0) this.#budget.free(this, reserved, { last: false });
  }

  /** Releases all bytes and refuses a body that still waits. Idempotent. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.waiting?.settle(noRoom());
    const bytes = this.held + this.reserved;
    this.held = 0;
    this.reserved = 0;
    this.#budget.free(this, bytes, { last: true });
  }
}

function noRoom(): TransportError {
  return new TransportError('UNAVAILABLE', frameMessages.bodiesFull, {
    headers: { 'Retry-After': '5' },
    refusal: 'body_budget',
  });
}
