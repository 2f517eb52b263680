/** The bytes that a process holds for its API keys, by the surrogate key of each. The caller enforces limits. */
export class HeldBytes {
  #all = 0;
  readonly #byKey = new Map<string, number>();

  /** Bytes of all keys. */
  get all(): number {
    return this.#all;
  }

  /** Bytes of one key. */
  of(tenantId: string): number {
    return this.#byKey.get(tenantId) ?? 0;
  }

  change(tenantId: string, bytes: number): void {
    this.#all += bytes;
    const held = this.of(tenantId) + bytes;
    if (held === 0) this.#byKey.delete(tenantId);
    else this.#byKey.set(tenantId, held);
  }

  /** Holds the bytes until `act` ends. */
  async during<Result>(tenantId: string, bytes: number, act: () => Promise<Result>): Promise<Result> {
    this.change(tenantId, bytes);
    try {
      return await act();
    } finally {
      this.change(tenantId, -bytes);
    }
  }
}
