/** The same value with its members in the opposite order at every depth. Lists keep their order. */
export function reversedMembers<Value>(value: Value): Value;
export function reversedMembers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(reversedMembers);
  const members = Object.entries(value).map(([name, member]) => [name, reversedMembers(member)] as const);
  return Object.fromEntries(members.reverse());
}
