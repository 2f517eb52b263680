import { nameOfNumber } from '../name-of-number.ts';
import type { AccessType } from './tenant.ts';

/** As the database numbers them; a number is never given twice. Null in a column means inherited. */
export const accessTypeNumbers = {
  public: 1,
  organizationPrivate: 2,
  restricted: 3,
} as const satisfies Record<AccessType, number>;

export const accessTypeNumber = (type: AccessType) => accessTypeNumbers[type];

/** Of types that may be inherited, or left as they are: null then. */
export const accessTypeColumn = (records: readonly { readonly accessType?: AccessType | undefined }[]) =>
  records.map(({ accessType }) => (accessType === undefined ? null : accessTypeNumbers[accessType]));

export const accessTypeName = (number: number): AccessType => nameOfNumber(accessTypeNumbers, number);

/** The first type that is set, from the nearest place outward; the key's default where none is. */
export function inForce(nearestFirst: readonly (number | null)[], fallback: AccessType): AccessType {
  const nearest = nearestFirst.find((number) => number !== null);
  return nearest === undefined || nearest === null ? fallback : accessTypeName(nearest);
}
