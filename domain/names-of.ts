/** The names of an enumeration in order. It must have at least one, as the schemas of zod require. */
export const namesOf = <Name extends string>(enumeration: Readonly<Record<Name, unknown>>) =>
  Object.keys(enumeration) as [Name, ...Name[]];
