/**
 * Amounts that a process holds for owners, such as bytes, calls in flight or connections. The caller enforces limits.
 */
export class HeldAmounts {
  #all = 0;
  readonly #byOwner = new Map<string, number>();

  /** The amount of all owners. */
  get all(): number {
    return this.#all;
  }

  /** The amount of one owner. */
  of(owner: string): number {
    return this.#byOwner.get(owner) ?? 0;
  }

  change(owner: string, amount: number): void {
    this.#all += amount;
    const held = this.of(owner) + amount;
    if (held === 0) this.#byOwner.delete(owner);
    else this.#byOwner.set(owner, held);
  }

  /** Holds the amount until `act` ends. */
  async during<Result>(owner: string, amount: number, act: () => Promise<Result>): Promise<Result> {
    this.change(owner, amount);
    try {
      return await act();
    } finally {
      this.change(owner, -amount);
    }
  }
}
