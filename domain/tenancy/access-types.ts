import type { AccessType } from './tenant.ts';

/** As the database numbers them, in folders and documents alike; a number is never given twice. Null there: inherits. */
export const accessTypeNumbers = {
  public: 1,
  organizationPrivate: 2,
  restricted: 3,
} as const satisfies Record<AccessType, number>;

const names = new Map<number, AccessType>(
  Object.entries(accessTypeNumbers).map(([name, number]) => [number, name as AccessType]),
);

export function accessTypeName(number: number): AccessType {
  const name = names.get(number);
  if (name === undefined) throw new Error(`No access type has the number ${String(number)}.`);
  return name;
}
