/**
 * Amounts that a process holds for its API keys, such as bytes or calls in flight, by the surrogate key of each. The
 * caller enforces limits.
 */
export class HeldAmounts {
  #all = 0;
  readonly #byKey = new Map<string, number>();

  /** The amount of all keys. */
  get all(): number {
    return this.#all;
  }

  /** The amount of one key. */
  of(tenantId: string): number {
    return this.#byKey.get(tenantId) ?? 0;
  }

  change(tenantId: string, amount: number): void {
    this.#all += amount;
    const held = this.of(tenantId) + amount;
    if (held === 0) this.#byKey.delete(tenantId);
    else this.#byKey.set(tenantId, held);
  }

  /** Holds the amount until `act` ends. */
  async during<Result>(tenantId: string, amount: number, act: () => Promise<Result>): Promise<Result> {
    this.change(tenantId, amount);
    try {
      return await act();
    } finally {
      this.change(tenantId, -amount);
    }
  }
}
