import type { RequestContext } from '../middleware/state.ts';
import { NoRoom, unreservedBytes, type ReadBudget, type ResponseCharge } from '../response/read-budget.ts';
import { whenFinished } from '../response/streaming-writer.ts';

/** The owner and the response of a write. */
interface Writing {
  readonly owner: string;
  readonly context: RequestContext;
  /** Throws when the call must no longer write. */
  readonly beforeRepeat: () => void;
}

/**
 * The room of a write's response in the read budget, up to 64 KiB of which need none. It is taken before the write
 * commits, when the write can still be refused and rolled back. Afterwards it would be too late: a caller that reads no
 * response could fill the memory of the process by repeating a write with a large one.
 */
export class WriteRoom {
  readonly #budget: ReadBudget;
  readonly #writing: Writing;
  #charge: ResponseCharge | undefined;

  constructor(budget: ReadBudget, writing: Writing) {
    this.#budget = budget;
    this.#writing = writing;
  }

  /** Takes room for a response before its commit. Throws NoRoom, without waiting: a transaction must not wait for callers. */
  admit(body: string): void {
    if (body.length <= unreservedBytes) return;
    const bytes = Buffer.byteLength(body);
    if (!this.#opened().tryReserve(bytes)) throw new NoRoom(bytes);
  }

  /** Runs a transaction. When its response has no room, waits for the room, then runs it again; it had no effect. */
  async within<Result>(transaction: () => Promise<Result>): Promise<Result> {
    try {
      return await transaction();
    } catch (error) {
      if (!(error instanceof NoRoom)) throw error;
      await this.reserve(error.bytes);
      this.#writing.beforeRepeat();
      return await transaction();
    }
  }

  /** Waits until the call may hold `bytes`, instead of those it holds now. Rejects with UNAVAILABLE without room. */
  async reserve(bytes: number): Promise<void> {
    await this.#opened().reserve(bytes);
  }

  /** Holds the bytes of the response until it is sent, and nothing for a small one. */
  keep(body: string): void {
    if (body.length > unreservedBytes) this.#opened().keep(Buffer.byteLength(body));
    else this.#charge?.keep(0);
  }

  /** Releases the room of a call that failed. */
  close(): void {
    this.#charge?.close();
  }

  #opened(): ResponseCharge {
    if (this.#charge !== undefined) return this.#charge;
    const charge = this.#budget.chargeOf(this.#writing.owner);
    this.#charge = charge;
    whenFinished(this.#writing.context, () => charge.close());
    return charge;
  }
}
