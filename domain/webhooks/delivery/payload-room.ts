const mebibyte = 1_048_576;

/**
 * Max bytes of payloads in flight, of a process and of one API key in it: a payload of 256 KiB is several times as large
 * while its request is encoded, encrypted and sent. One claim takes at most `claim`.
 */
const limits = { process: 32 * mebibyte, key: 8 * mebibyte, claim: mebibyte } as const;

/**
 * Limits the payloads of a process in flight, so that large events for endpoints that do not respond neither exhaust its
 * memory nor delay other keys. Claims that run concurrently may exceed the limits by `limits.claim`, or one message, each.
 */
export class PayloadRoom {
  #held = 0;
  readonly #heldByKey = new Map<string, number>();

  /** Returns the max bytes that a claim for the key may take now. */
  of(tenantId: string): number {
    const ofKey = limits.key - (this.#heldByKey.get(tenantId) ?? 0);
    return Math.max(0, Math.min(limits.claim, ofKey, limits.process - this.#held));
  }

  /** Holds the bytes of a request until `request` ends. */
  async during<Result>(tenantId: string, bytes: number, request: () => Promise<Result>): Promise<Result> {
    this.#change(tenantId, bytes);
    try {
      return await request();
    } finally {
      this.#change(tenantId, -bytes);
    }
  }

  #change(tenantId: string, bytes: number): void {
    this.#held += bytes;
    const held = (this.#heldByKey.get(tenantId) ?? 0) + bytes;
    if (held === 0) this.#heldByKey.delete(tenantId);
    else this.#heldByKey.set(tenantId, held);
  }
}
