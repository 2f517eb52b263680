/** Returns a value that must exist. Throws for undefined: `what` names it in the error. */
export function required<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new Error(`missing ${what}`);
  return value;
}
