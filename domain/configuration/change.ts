import { isJsonObject } from '../../platform/json/json-members.ts';

/** Any members of a value, at any depth. A list is replaced as a whole. */
export type Change<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { readonly [Member in keyof Value]?: Change<Value[Member]> | undefined }
    : Value;

/** Merges `change` into a copy of `base` at every depth. An undefined member counts as absent. */
export function merged<Value extends object>(base: Value, change: Change<NoInfer<Value>>): Value {
  return mergedMember(base, change) as Value;
}

function mergedMember(base: unknown, change: unknown): unknown {
  if (change === undefined) return base;
  if (!isJsonObject(base) || !isJsonObject(change)) return change;
  const changes = Object.entries(change).map(([name, value]): [string, unknown] => [
    name,
    mergedMember(Object.hasOwn(base, name) ? base[name] : undefined, value),
  ]);
  // fromEntries defines own members, whatever their name.
  return Object.fromEntries([...Object.entries(base), ...changes]);
}

/** Whether a change sets any value; nested empty objects do not count. */
export function changesSomething(change: unknown): boolean {
  if (!isJsonObject(change)) return change !== undefined;
  return Object.values(change).some(changesSomething);
}
