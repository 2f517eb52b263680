import { accessTypes, type AccessType } from './tenant.ts';

/** As the database numbers them; a number is never given twice. Null in a column means inherited. */
const numbers = { public: 1, organizationPrivate: 2, restricted: 3 } as const satisfies Record<
  AccessType,
  number
>;

export function accessTypeNumber(type: AccessType): number {
  return numbers[type];
}

export function accessTypeName(number: number): AccessType {
  const name = accessTypes.find((type) => numbers[type] === number);
  if (name === undefined) throw new Error(`No access type has the number ${String(number)}.`);
  return name;
}

/** The first type that is set, from the nearest place outward; the key's default where none is. */
export function inForce(nearestFirst: readonly (number | null)[], fallback: AccessType): AccessType {
  const nearest = nearestFirst.find((number) => number !== null);
  return nearest === undefined || nearest === null ? fallback : accessTypeName(nearest);
}
