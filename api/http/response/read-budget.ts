import { mebibyte } from '../../../platform/units.ts';
import { messages } from '../../../domain/messages.ts';
import { TransportError } from './transport-error.ts';

/** A call that holds at most this much, or a write whose response has at most this length, reserves nothing. */
export const unreservedBytes = 65_536;

/** Byte and time limits of responses. */
export interface ReadBudgetLimits {
  /** Max bytes read from the database and not yet sent, over all callers. */
  readonly totalBytes: number;
  /** The same limit per caller, named by `ownerOf`. */
  readonly ownerBytes: number;
  /** Extra bytes for small reads of callers that hold nothing, so that stalled readers do not block others. */
  readonly reserveBytes: number;
  readonly waitMs: number;
}

/** One byte read costs several in memory: rows, objects, JSON text and its UTF-8 coexist briefly. */
export const readLimits: ReadBudgetLimits = {
  totalBytes: 32 * mebibyte,
  ownerBytes: 12 * mebibyte,
  reserveBytes: 8 * mebibyte,
  waitMs: 5_000,
};

/** Time for which the room of all callers counts as short after a response had to wait for it. */
const shortForMs = 30_000;

/** Max read from the reserve. */
const smallRead = 2 * mebibyte;

interface Waiter {
  readonly bytes: number;
  readonly go: () => void;
}

interface Account {
  held: number;
  /** In order of arrival. */
  readonly waiting: Waiter[];
}

/**
 * Limits the bytes that responses hold in memory. A read reserves its max bytes before its statement runs and releases
 * them as the socket takes them. Beyond the limits reads wait, in order per caller and round-robin between callers.
 */
export class ReadBudget {
  readonly limits: ReadBudgetLimits;
  /** Callers that hold bytes or wait, in scheduling order. */
  readonly #accounts = new Map<string, Account>();
  #held = 0;
  #waiting = 0;
  /** When a read last waited although its caller was within its own limit, by `performance.now()`. */
  #shortAt = Number.NEGATIVE_INFINITY;

  constructor(limits: ReadBudgetLimits) {
    this.limits = limits;
  }

  /** Bytes held now by all callers. */
  get heldBytes(): number {
    return this.#held;
  }

  /** Whether other callers left a read no room in the last 30 s. A caller that waits for itself alone does not count. */
  isShort = (): boolean => performance.now() - this.#shortAt < shortForMs;

  /** Opens the charge of one response. Call its `close` when the response closes, however it ends. */
  chargeOf(owner: string): ResponseCharge {
    return new ResponseCharge(this, owner);
  }

  /** Resolves with the bytes now held: the requested ones, or the caller's limit. Rejects with UNAVAILABLE on timeout. */
  async acquire(owner: string, bytes: number): Promise<number> {
    const needed = Math.min(bytes, this.limits.ownerBytes);
    const account = this.#account(owner);
    if (this.#waiting === 0 && this.#fits(account, needed)) this.#hold(account, needed);
    else await this.#wait(owner, account, needed);
    return needed;
  }

  /** Holds the bytes if they fit now and overtake no waiting read of a caller that holds nothing. Never waits. */
  tryAcquire(owner: string, bytes: number): boolean {
    const account = this.#account(owner);
    const isNext = this.#waiting === 0 || (account.held === 0 && account.waiting.length === 0);
    const fits = isNext && this.#fits(account, bytes);
    if (fits) this.#hold(account, bytes);
    else this.#forget(owner, account);
    return fits;
  }

  /** Changes the bytes held, also beyond the limits, because they are in memory already. */
  adjust(owner: string, difference: number): void {
    if (difference === 0) return;
    const account = this.#account(owner);
    this.#hold(account, difference);
    if (difference < 0) this.#serve();
    this.#forget(owner, account);
  }

  #account(owner: string): Account {
    const known = this.#accounts.get(owner);
    if (known !== undefined) return known;
    const account: Account = { held: 0, waiting: [] };
    this.#accounts.set(owner, account);
    return account;
  }

  #forget(owner: string, { held, waiting }: Account): void {
    if (held === 0 && waiting.length === 0) this.#accounts.delete(owner);
  }

  #fits({ held }: Account, bytes: number): boolean {
    const { totalBytes, ownerBytes, reserveBytes } = this.limits;
    if (held + bytes > ownerBytes) return false;
    if (this.#held + bytes <= totalBytes) return true;
    return held === 0 && bytes <= smallRead && this.#held + bytes <= totalBytes + reserveBytes;
  }

  #hold(account: Account, bytes: number): void {
    account.held += bytes;
    this.#held += bytes;
  }

  async #wait(owner: string, account: Account, bytes: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const waiter = { bytes, go: resolve };
      const timer = setTimeout(() => {
        this.#waiting -= 1;
        account.waiting.splice(account.waiting.indexOf(waiter), 1);
        this.#forget(owner, account);
        reject(new NoRoom(bytes));
        // The next waiter may need fewer bytes.
        this.#serve();
      }, this.limits.waitMs);
      waiter.go = () => {
        clearTimeout(timer);
        resolve();
      };
      account.waiting.push(waiter);
      this.#waiting += 1;
      this.#serve();
    });
  }

  /** Moves a served caller to the end. Only callers that hold nothing may overtake one whose turn it is. */
  #serve(): void {
    let served = this.#waiting > 0;
    while (served) {
      served = false;
      let blocked = false;
      const accounts = Array.from(this.#accounts);
      for (const [owner, account] of accounts) {
        const [first] = account.waiting;
        if (first === undefined || (blocked && account.held > 0)) continue;
        if (!this.#fits(account, first.bytes)) {
          if (account.held + first.bytes <= this.limits.ownerBytes) {
            blocked = true;
            this.#shortAt = performance.now();
          }
          continue;
        }
        account.waiting.shift();
        this.#waiting -= 1;
        this.#hold(account, first.bytes);
        this.#accounts.delete(owner);
        this.#accounts.set(owner, account);
        first.go();
        served = true;
      }
    }
  }
}

/** The bytes that one response holds. */
export class ResponseCharge {
  readonly #budget: ReadBudget;
  readonly #owner: string;
  #held = 0;
  #closed = false;

  constructor(budget: ReadBudget, owner: string) {
    this.#budget = budget;
    this.#owner = owner;
  }

  /** Waits until the response may hold `bytes`, instead of those it holds now. Rejects with UNAVAILABLE after `waitMs`. */
  async reserve(bytes: number): Promise<void> {
    this.keep(0);
    const held = await this.#budget.acquire(this.#owner, bytes);
    this.#held += held;
    if (this.#closed) this.#set(0);
  }

  /** Holds `bytes` instead of those it holds now if there is room, and returns whether there is. Never waits. */
  tryReserve(bytes: number): boolean {
    // A reservation is at most the caller's limit, however large the response.
    const missing = Math.min(bytes, this.#budget.limits.ownerBytes) - this.#held;
    if (!this.#closed && missing > 0) {
      if (!this.#budget.tryAcquire(this.#owner, missing)) return false;
      this.#held += missing;
    }
    this.keep(bytes);
    return true;
  }

  /** Sets the bytes that the response holds. Never waits. */
  keep(bytes: number): void {
    if (!this.#closed) this.#set(bytes);
  }

  close(): void {
    this.#closed = true;
    this.#set(0);
  }

  #set(bytes: number): void {
    const difference = bytes - this.#held;
    this.#held = bytes;
    this.#budget.adjust(this.#owner, difference);
  }
}

/** UNAVAILABLE: the budget has no room for the bytes of a response. */
export class NoRoom extends TransportError {
  readonly bytes: number;

  constructor(bytes: number) {
    super('UNAVAILABLE', messages.unavailable, {
      headers: { 'Retry-After': '5' },
      refusal: 'read_budget',
    });
    this.bytes = bytes;
  }
}
