import { frameMessages } from '../messages.ts';
import { TransportError } from '../response/transport-error.ts';

/** Bytes and time that request bodies are bounded by. */
export interface BudgetLimits {
  /** What all bodies of the process may hold together; those of one owner hold at most a quarter of it. */
  readonly bytes: number;
  /** The largest body that any endpoint accepts. */
  readonly maxBodyBytes: number;
  /** How long a body waits for room before it is refused. */
  readonly maxWaitMs: number;
}

/** Larger bodies leave the last eighth of each pool to bodies of up to this size, which thus pass a burst of large ones. */
const smallBodyBytes = 65_536;

interface Pool {
  /** Bytes that have arrived or are reserved. */
  taken: number;
  readonly limit: number;
  /** What bodies beyond `smallBodyBytes` may bring `taken` to. */
  readonly limitOfLarge: number;
  /** Charges that still refer to it. */
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
 * The memory that request bodies of one process may hold. A body is charged as its bytes arrive while its pools (its
 * owner's, the process's) keep room for one whole body of the largest size. Beyond that it waits, in order of arrival,
 * until all that may still follow fits, which is then reserved.
 *
 * So bodies that wait for each other cannot stop all: what was charged without a reservation always leaves room for one
 * whole body, and a reserved body waits for nothing.
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

  /** Bytes that bodies hold or have reserved now. */
  get takenBytes(): number {
    return this.#process.taken;
  }

  /** Opens the charge of one body; its `release` must be called exactly when nothing of the body is needed any more. */
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

  /** Returns bytes to both pools and admits bodies that waited for them. */
  giveBack({ owner, pool }: BodyCharge, bytes: number, { last }: { readonly last: boolean }): void {
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
        // Smaller bodies behind it may fit.
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

  /** In order of arrival. A large body that its owner's pool cannot take holds up only large bodies of that owner. */
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

  /** `whole` is all that a reservation covers: at most what its owner may ever hold. */
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

/** What one body holds of the budget. */
export class BodyCharge {
  /** Bytes that have arrived. */
  held = 0;
  /** Bytes that have room and have not arrived. */
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
   * Charges bytes that have arrived; `rest` is the most that may follow. Returns a promise when they must wait, and
   * nothing may be read until it resolves. Throws, or rejects with, UNAVAILABLE.
   */
  take(bytes: number, rest: number): Promise<void> | undefined {
    if (this.#released) throw new Error('body charged after its release');
    if (bytes <= this.reserved) {
      this.reserved -= bytes;
      this.held += bytes;
      return undefined;
    }
    // A reservation covers all that may follow, unless its owner may never hold that much.
    if (this.reserved > 0) throw noRoom();
    return this.#budget.charge(this, bytes, rest);
  }

  /** The body is whole: what was reserved beyond it is free. */
  complete(): void {
    const { reserved } = this;
    this.reserved = 0;
    if (reserved > 0) this.#budget.giveBack(this, reserved, { last: false });
  }

  /** Returns everything; a body that still waits is refused. Repeatable. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.waiting?.settle(noRoom());
    const bytes = this.held + this.reserved;
    this.held = 0;
    this.reserved = 0;
    this.#budget.giveBack(this, bytes, { last: true });
  }
}

function noRoom(): TransportError {
  return new TransportError('UNAVAILABLE', frameMessages.bodiesFull, { headers: { 'Retry-After': '5' } });
}
