import { messages } from '../../../domain/messages.ts';
import { TransportError } from './transport-error.ts';

const mebibyte = 1_048_576;

/** Bytes and time that responses are bounded by. */
export interface ReadBudgetLimits {
  /** Bytes read from the database and not yet sent, of all keys. */
  readonly totalBytes: number;
  /** Of one key. */
  readonly keyBytes: number;
  /** Beyond `totalBytes`, for keys that hold nothing: readers that stop reading do not keep the others from a small read. */
  readonly reserveBytes: number;
  readonly waitMs: number;
}

/** In memory, a byte that was read costs several: rows, objects, JSON text and its UTF-8 exist side by side for a moment. */
const defaults: ReadBudgetLimits = {
  totalBytes: 32 * mebibyte,
  keyBytes: 12 * mebibyte,
  reserveBytes: 8 * mebibyte,
  waitMs: 5_000,
};

/** The largest read that a key which holds nothing may make from the reserve. */
const smallRead = 2 * mebibyte;

interface Waiter {
  readonly bytes: number;
  readonly go: () => void;
}

interface Account {
  held: number;
  /** In the order in which they came. */
  readonly waiting: Waiter[];
}

/**
 * Counts the bytes that responses hold: what a statement may return is reserved before it runs, and given back as the
 * socket takes it. Beyond the limits reads wait, each key's in their order and the keys in turn.
 */
export class ReadBudget {
  readonly limits: ReadBudgetLimits;
  /** Keys that hold or wait, those whose turn is next first. */
  readonly #accounts = new Map<string, Account>();
  #held = 0;
  #waiting = 0;

  constructor(limits: Partial<ReadBudgetLimits> = {}) {
    this.limits = { ...defaults, ...limits };
  }

  /** Bytes held now, of all keys. */
  get heldBytes(): number {
    return this.#held;
  }

  /** What a response of that key holds; its `close` must be called when the response closes, however it ends. */
  chargeOf(key: string): ResponseCharge {
    return new ResponseCharge(this, key);
  }

  /** Resolves with how many bytes are held: those asked for, or the key's whole share. Rejects with UNAVAILABLE. */
  async acquire(key: string, bytes: number): Promise<number> {
    const needed = Math.min(bytes, this.limits.keyBytes);
    const account = this.#account(key);
    if (this.#waiting === 0 && this.#fits(account, needed)) this.#hold(account, needed);
    else await this.#wait(key, account, needed);
    return needed;
  }

  /** Changes what is held, also beyond the limits: the bytes are there already. */
  adjust(key: string, difference: number): void {
    if (difference === 0) return;
    const account = this.#account(key);
    this.#hold(account, difference);
    if (difference < 0) this.#serve();
    this.#forget(key, account);
  }

  #account(key: string): Account {
    const known = this.#accounts.get(key);
    if (known !== undefined) return known;
    const account: Account = { held: 0, waiting: [] };
    this.#accounts.set(key, account);
    return account;
  }

  #forget(key: string, { held, waiting }: Account): void {
    if (held === 0 && waiting.length === 0) this.#accounts.delete(key);
  }

  #fits({ held }: Account, bytes: number): boolean {
    const { totalBytes, keyBytes, reserveBytes } = this.limits;
    if (held + bytes > keyBytes) return false;
    if (this.#held + bytes <= totalBytes) return true;
    return held === 0 && bytes <= smallRead && this.#held + bytes <= totalBytes + reserveBytes;
  }

  #hold(account: Account, bytes: number): void {
    account.held += bytes;
    this.#held += bytes;
  }

  async #wait(key: string, account: Account, bytes: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const waiter = { bytes, go: resolve };
      const timer = setTimeout(() => {
        this.#waiting -= 1;
        account.waiting.splice(account.waiting.indexOf(waiter), 1);
        this.#forget(key, account);
        reject(new TransportError('UNAVAILABLE', messages.unavailable, { headers: { 'Retry-After': '5' } }));
        // The one behind it may need less.
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

  /** A key that was served goes behind the others. One whose turn has come is overtaken only by keys that hold nothing. */
  #serve(): void {
    let served = this.#waiting > 0;
    while (served) {
      served = false;
      let blocked = false;
      const accounts = Array.from(this.#accounts);
      for (const [key, account] of accounts) {
        const [first] = account.waiting;
        if (first === undefined || (blocked && account.held > 0)) continue;
        if (!this.#fits(account, first.bytes)) {
          blocked ||= account.held + first.bytes <= this.limits.keyBytes;
          continue;
        }
        account.waiting.shift();
        this.#waiting -= 1;
        this.#hold(account, first.bytes);
        this.#accounts.delete(key);
        this.#accounts.set(key, account);
        first.go();
        served = true;
      }
    }
  }
}

/** The bytes that one response holds. */
export class ResponseCharge {
  readonly #budget: ReadBudget;
  readonly #key: string;
  #held = 0;
  #closed = false;

  constructor(budget: ReadBudget, key: string) {
    this.#budget = budget;
    this.#key = key;
  }

  /** Waits until the response may hold that many bytes in the place of those that it holds; UNAVAILABLE after some seconds. */
  async reserve(bytes: number): Promise<void> {
    this.keep(0);
    const held = await this.#budget.acquire(this.#key, bytes);
    this.#held += held;
    if (this.#closed) this.#set(0);
  }

  /** Says how many bytes the response holds; never waits. */
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
    this.#budget.adjust(this.#key, difference);
  }
}
