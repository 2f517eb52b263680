import { errorMessage } from './error-message.ts';

/** Closes resources in reverse order. */
export class ClosingStack {
  readonly #closers: (() => Promise<unknown>)[] = [];
  #closing: Promise<void> | undefined;

  /** Registers a closer. After `close`, as when a start was canceled, runs it immediately. */
  async add(close: () => Promise<unknown>): Promise<void> {
    if (this.#closing === undefined) this.#closers.push(close);
    else await close();
  }

  /** Runs every closer even when some fail, then throws their errors. A second call waits for the first. */
  async close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    await this.#closing;
  }

  async #closeAll(): Promise<void> {
    const errors: unknown[] = [];
    for (const close of this.#closers.reverse()) {
      try {
        await close();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, errors.map(errorMessage).join(', '));
  }
}
