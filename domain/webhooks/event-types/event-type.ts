/** JSON Schema, draft 2020-12. */
export type Schema = Readonly<Record<string, unknown>>;

/** A type of event as the catalogue tells of it; `schema` and `example` are those of a body's `data`. */
export interface EventType {
  /** What endpoints name in `filterTypes`. */
  readonly name: string;
  /** A sentence that can be shown to people. */
  readonly description: string;
  readonly schema: Schema;
  readonly example: object;
}

export const text: Schema = { type: 'string' };
export const textOrNull: Schema = { type: ['string', 'null'] };
export const integer: Schema = { type: 'integer' };
export const integerOrNull: Schema = { type: ['integer', 'null'] };
export const bool: Schema = { type: 'boolean' };
export const texts: Schema = { type: 'array', items: text };
export const anyObject: Schema = { type: 'object' };
export const oneOf = (...values: readonly string[]): Schema => ({ enum: values });

/** An object with these members, of which those named `optional` may be absent; further ones are allowed where `open`. */
export function object(
  properties: Readonly<Record<string, Schema>>,
  { optional = [], open = false }: { readonly optional?: readonly string[]; readonly open?: boolean } = {},
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: open };
}

/** A user as the caller named one, with whatever else it carried. */
export const user = object(
  { userId: text, name: text, email: text },
  { optional: ['name', 'email'], open: true },
);

/** Throws when two types have one name: a mistake of ours. */
export function catalogued(types: readonly EventType[]): readonly EventType[] {
  const names = new Set(types.map(({ name }) => name));
  if (names.size !== types.length) throw new Error('Two event types have one name.');
  return types;
}
