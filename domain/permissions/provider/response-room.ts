import { mebibyte } from '../../../platform/units.ts';
import { HeldAmounts } from '../../../platform/process/held-amounts.ts';

/**
 * Max bytes of responses that are being received, of a process and of one API key in it. Keys that hold more than
 * `small` leave `reserved` to the others.
 */
const limitsBytes = {
  process: 64 * mebibyte,
  key: 8 * mebibyte,
  reserved: 8 * mebibyte,
  small: 262_144,
} as const;

/** Charged for each part of a response besides its content, so that many short parts are not free. */
const partBytes = 256;

/** The room of one response. */
export interface ResponseShare {
  /** Takes room for the next part; false when there is none. */
  readonly take: (bytes: number) => boolean;
  /** Returns all room. */
  readonly close: () => void;
}

/**
 * Limits the responses of permission providers in the memory of a process, so that providers that send much and do not
 * end neither exhaust it nor keep other keys from receiving.
 */
export class ResponseRoom {
  readonly #held = new HeldAmounts();

  open(tenantId: string): ResponseShare {
    let held = 0;
    return {
      take: (bytes) => {
        const taken = bytes + partBytes;
        if (!this.#fits(tenantId, taken)) return false;
        held += taken;
        this.#held.change(tenantId, taken);
        return true;
      },
      close: () => {
        this.#held.change(tenantId, -held);
        held = 0;
      },
    };
  }

  #fits(tenantId: string, bytes: number): boolean {
    const ofKey = this.#held.of(tenantId) + bytes;
    const ofProcess =
      ofKey <= limitsBytes.small ? limitsBytes.process : limitsBytes.process - limitsBytes.reserved;
    return ofKey <= limitsBytes.key && this.#held.all + bytes <= ofProcess;
  }
}
