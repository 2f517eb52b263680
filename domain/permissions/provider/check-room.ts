import { mebibyte } from '../../../platform/units.ts';
import { HeldAmounts } from '../../../platform/process/held-amounts.ts';
import { unavailable } from '../../errors.ts';
import type { CachedRow } from './cached-responses.ts';

/**
 * Max bytes of checks that wait for a permission provider, of a process and of one API key in it. A key that holds
 * nothing may make any one call: the largest has 10,000 checks. Keys that hold more than `small` leave `reserved` to the
 * others.
 */
const limitsBytes = {
  process: 96 * mebibyte,
  key: 16 * mebibyte,
  reserved: 16 * mebibyte,
  small: mebibyte,
} as const;

/** Bytes of a check beside its ids: a row, its promises and its key. */
const bytesPerCheck = 1_000;

/** Copies of the ids that a check holds: in its row and in its key. */
const copies = 2;

const bytesOf = ({ user_ext, ext_id, org_ext_id }: CachedRow): number =>
  bytesPerCheck + copies * (user_ext.length + ext_id.length + org_ext_id.length);

/**
 * Limits the checks in the memory of a process. A provider that does not respond holds each call for a minute, and its
 * caller may send many more meanwhile.
 */
export class CheckRoom {
  readonly #held = new HeldAmounts();

  /** Runs `act` with room for the checks. Throws UNAVAILABLE at once when there is none. */
  async holding<Result>(
    tenantId: string,
    checks: readonly CachedRow[],
    act: () => Promise<Result>,
  ): Promise<Result> {
    // Every decision is cached.
    if (checks.length === 0) return act();
    const bytes = checks.reduce((sum, check) => sum + bytesOf(check), 0);
    if (!this.#fits(tenantId, bytes)) throw unavailable();
    return this.#held.during(tenantId, bytes, act);
  }

  #fits(tenantId: string, bytes: number): boolean {
    const before = this.#held.of(tenantId);
    const ofKey = before + bytes;
    const ofProcess =
      ofKey <= limitsBytes.small ? limitsBytes.process : limitsBytes.process - limitsBytes.reserved;
    return (before === 0 || ofKey <= limitsBytes.key) && this.#held.all + bytes <= ofProcess;
  }
}
