import { nameOfNumber } from '../name-of-number.ts';
import type { AccessType } from './tenant.ts';

/** Numbers in the database, never reused. Null means inherited. */
export const accessTypeNumbers = {
  public: 1,
  organizationPrivate: 2,
  restricted: 3,
} as const satisfies Record<AccessType, number>;

/** Column values of records; null for an access type that was not sent. */
export const accessTypeColumn = (records: readonly { readonly accessType?: AccessType | undefined }[]) =>
  records.map(({ accessType }) => (accessType === undefined ? null : accessTypeNumbers[accessType]));

export const accessTypeName = (number: number): AccessType => nameOfNumber(accessTypeNumbers, number);

/** The nearest access type that is set, else the fallback. */
export function inForce(nearestFirst: readonly (number | null)[], fallback: AccessType): AccessType {
  const nearest = nearestFirst.find((number) => number !== null);
  return nearest === undefined || nearest === null ? fallback : accessTypeName(nearest);
}
