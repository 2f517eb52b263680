import { httpMessages } from '../messages.ts';
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

/** What Node still buffers of a body whose reader has paused, at most: 64 KiB and a chunk. */
const unreadBytes = 131_072;

/** Max bytes of the bodies that wait, beside the budget. */
const maxWaitingBytes = { owner: 33_554_432, process: 67_108_864 } as const;

interface Pool {
  /** Bytes that have arrived or are reserved. */
  taken: number;
  readonly limit: number;
  /** Limit of `taken` for bodies beyond `smallBodyBytes`. */
  readonly limitOfLarge: number;
  /** Number of open charges. */
  users: number;
  /** Bytes that waiting bodies hold in memory, at most. */
  waitingBytes: number;
  readonly maxWaitingBytes: number;
  readonly small: Queue;
  readonly large: Queue;
}

interface Waiting {
  readonly charge: BodyCharge;
  readonly settle: (refusal?: TransportError) => void;
}

/** The waiting bodies of an owner, in order of arrival. */
type Queue = Set<Waiting>;

const poolOf = (limit: number, maxBytes: number): Pool => ({
  taken: 0,
  limit,
  limitOfLarge: largeOf(limit),
  users: 0,
  waitingBytes: 0,
  maxWaitingBytes: maxBytes,
  small: new Set(),
  large: new Set(),
});

const largeOf = (limit: number): number => Math.floor((limit * 7) / 8);

/**
 * Limits the memory of request bodies in one process. A body is charged as its bytes arrive, while the pools of its
 * owner and of the process keep room for one max body. Otherwise it waits until its whole rest can be reserved: in order
 * of arrival behind those of its owner, while owners take turns. What waiting bodies hold is limited too. Bodies cannot
 * deadlock: room for one max body is always left, and a reserved body never waits.
 */
export class BodyBudget {
  readonly #process: Pool;
  readonly #owners = new Map<string, Pool>();
  /** The queues with waiting bodies. The next one to be served is the first. */
  readonly #queues = new Set<Queue>();
  readonly #ownerLimit: number;
  readonly #headroom: number;
  readonly #maxWaitMs: number;

  constructor({ bytes, maxBodyBytes, maxWaitMs }: BudgetLimits) {
    this.#process = poolOf(bytes, maxWaitingBytes.process);
    this.#ownerLimit = Math.floor(bytes / 4);
    this.#headroom = Math.min(maxBodyBytes, largeOf(this.#ownerLimit));
    this.#maxWaitMs = maxWaitMs;
  }

  /** Bytes now held or reserved. */
  get takenBytes(): number {
    return this.#process.taken;
  }

  /** Opens the charge of one body. Call its `release` once the body is no longer needed. */
  open(owner: string): BodyCharge {
    const pool = this.#owners.get(owner) ?? poolOf(this.#ownerLimit, maxWaitingBytes.owner);
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
    return this.#wait(charge, charge.pool[small ? 'small' : 'large']);
  }

  /** Returns bytes to both pools and admits waiting bodies. */
  free({ owner, pool }: BodyCharge, bytes: number, { last }: { readonly last: boolean }): void {
    pool.taken -= bytes;
    this.#process.taken -= bytes;
    if (last && (pool.users -= 1) === 0) this.#owners.delete(owner);
    this.#admitWaiting();
  }

  /** Returns undefined for a charge that is admitted at once. Rejects with UNAVAILABLE after `maxWaitMs`; throws it when full. */
  #wait(charge: BodyCharge, queue: Queue): Promise<void> | undefined {
    const held = charge.wanted.bytes + Math.min(charge.wanted.rest, unreadBytes);
    const pools = [charge.pool, this.#process];
    if (pools.some((pool) => pool.waitingBytes + held > pool.maxWaitingBytes)) throw noRoom();
    for (const pool of pools) pool.waitingBytes += held;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      waiting.settle(noRoom());
      // Smaller bodies that arrived later may fit.
      this.#admitWaiting();
    }, this.#maxWaitMs);
    const waiting: Waiting = {
      charge,
      settle: (refusal) => {
        clearTimeout(timer);
        for (const pool of pools) pool.waitingBytes -= held;
        queue.delete(waiting);
        if (queue.size === 0) this.#queues.delete(queue);
        charge.waiting = undefined;
        if (refusal === undefined) resolve();
        else reject(refusal);
      },
    };
    charge.waiting = waiting;
    queue.add(waiting);
    this.#queues.add(queue);
    // Behind others it cannot be the next.
    if (queue.size === 1) this.#admitWaiting();
    return queue.has(waiting) ? promise : undefined;
  }

  /**
   * Admits the first bodies of the queues in turns, until none fits. A large body that exceeds its owner's pool blocks only
   * large bodies of that owner; one that exceeds that of the process blocks all large ones behind it.
   */
  #admitWaiting(): void {
    let full = false;
    for (const queue of this.#queues) {
      const [first] = queue;
      if (first === undefined) continue;
      const { charge, settle } = first;
      const { bytes, rest } = charge.wanted;
      const { small, whole } = this.#needOf(charge, bytes, rest);
      if (full && !small) continue;
      if (this.#fits(charge, whole, small)) {
        this.#take(charge, bytes, whole - bytes);
        settle();
        // The loop comes back to a queue that is added again.
        if (this.#queues.delete(queue)) this.#queues.add(queue);
      } else if (!small) full ||= charge.pool.taken + whole <= charge.pool.limitOfLarge;
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
  return new TransportError('UNAVAILABLE', httpMessages.bodiesFull, {
    headers: { 'Retry-After': '5' },
    refusal: 'body_budget',
  });
}
