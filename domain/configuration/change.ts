/** What an update carries: any members of a value, at any depth. A list is replaced whole. */
export type Change<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { readonly [Member in keyof Value]?: Change<Value[Member]> | undefined }
    : Value;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Members of `change` over those of `base`, at every depth; neither is touched. Absent and undefined are the same. */
export function merged<Value extends object>(base: Value, change: Change<NoInfer<Value>>): Value {
  return mergedMember(base, change) as Value;
}

function mergedMember(base: unknown, change: unknown): unknown {
  if (change === undefined) return base;
  if (!isObject(base) || !isObject(change)) return change;
  const changes = Object.entries(change).map(([name, value]): [string, unknown] => [
    name,
    mergedMember(Object.hasOwn(base, name) ? base[name] : undefined, value),
  ]);
  // fromEntries defines own members, whatever their name.
  return Object.fromEntries([...Object.entries(base), ...changes]);
}

/** Whether a change names any member that is not itself an object without one. */
export function changesSomething(change: unknown): boolean {
  if (!isObject(change)) return change !== undefined;
  return Object.values(change).some(changesSomething);
}
