/** JSON Schema, draft 2020-12. */
export type Schema = Readonly<Record<string, unknown>>;

/** `schema` and `example` describe `data` of the message body. */
export interface EventType {
  /** The name that endpoints list in `filterTypes`. */
  readonly name: string;
  /** A displayable sentence. */
  readonly description: string;
  readonly schema: Schema;
  readonly example: object;
  /** Changes that Steward makes emit it; others come through activities/add alone. */
  readonly emitted?: true;
}

export const text: Schema = { type: 'string' };
export const textOrNull: Schema = { type: ['string', 'null'] };
export const integer: Schema = { type: 'integer' };
export const integerOrNull: Schema = { type: ['integer', 'null'] };
export const bool: Schema = { type: 'boolean' };
export const texts: Schema = { type: 'array', items: text };
export const anyObject: Schema = { type: 'object' };
export const oneOf = (...values: readonly string[]): Schema => ({ enum: values });

/** A schema of an object: `optional` members may be absent, an `open` object may have additional members. */
export function object(
  properties: Readonly<Record<string, Schema>>,
  { optional = [], open = false }: { readonly optional?: readonly string[]; readonly open?: boolean } = {},
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: open };
}

/** A user as the caller sent it, with additional members. */
export const user = object(
  { userId: text, name: text, email: text },
  { optional: ['name', 'email'], open: true },
);

/** Throws when two types have the same name. */
export function withUniqueNames(types: readonly EventType[]): readonly EventType[] {
  const names = new Set(types.map(({ name }) => name));
  if (names.size !== types.length) throw new Error('duplicate event type name');
  return types;
}
