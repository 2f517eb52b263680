import { mebibyte } from '../../../platform/units.ts';
import { HeldAmounts } from '../../../platform/process/held-amounts.ts';

/**
 * Max bytes of payloads in flight, of a process and of one API key in it: a payload of 256 KiB is several times as large
 * while its request is encoded, encrypted and sent. One claim takes at most `claim`. A key that holds nothing may always
 * claim `first`.
 */
const limitsBytes = { process: 32 * mebibyte, key: 8 * mebibyte, claim: mebibyte, first: 65_536 } as const;

/**
 * Limits the payloads of a process in flight, so that large events for endpoints that do not respond neither exhaust its
 * memory nor keep other keys from sending. Each key may exceed the limit of the process by `limits.first`, or one message.
 * Claims that run concurrently may exceed the limits by `limits.claim`, or one message, each.
 */
export class PayloadRoom {
  readonly #held = new HeldAmounts();

  /** Returns the max bytes that a claim for the key may take now. */
  of(tenantId: string): number {
    const ofKey = this.#held.of(tenantId);
    const left = Math.min(limitsBytes.claim, limitsBytes.key - ofKey, limitsBytes.process - this.#held.all);
    return Math.max(ofKey === 0 ? limitsBytes.first : 0, left);
  }

  /** Holds the bytes of a request until `request` ends. */
  async during<Result>(tenantId: string, bytes: number, request: () => Promise<Result>): Promise<Result> {
    return this.#held.during(tenantId, bytes, request);
  }
}
