/** What was opened, closed in reverse order. */
export class ClosingStack {
  readonly #closers: (() => Promise<unknown>)[] = [];
  #closing: Promise<void> | undefined;

  /** Registers how to close what was opened. After `close`, as when a start was given up, closes it at once. */
  async add(close: () => Promise<unknown>): Promise<void> {
    if (this.#closing === undefined) this.#closers.push(close);
    else await close();
  }

  /** Closes everything, also when some of it fails; then throws what failed. A second call returns the first one's end. */
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
    if (errors.length > 0) throw new AggregateError(errors, 'The test environment was not torn down whole.');
  }
}
