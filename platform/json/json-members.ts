/** The members of a JSON object. */
export type JsonMembers = Readonly<Record<string, unknown>>;

/** Whether a parsed JSON value is an object, not a list. */
export const isJsonObject = (value: unknown): value is JsonMembers =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the members of a parsed JSON value; none of a value that is not an object. */
export const membersOf = (value: unknown): JsonMembers => (isJsonObject(value) ? value : {});
