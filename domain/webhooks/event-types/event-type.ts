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

/** Schemas of members. Each description states what the member holds, with its unit. */
export const text = (description: string): Schema => ({ type: 'string', description });
export const textOrNull = (description: string): Schema => ({ type: ['string', 'null'], description });
export const integer = (description: string): Schema => ({ type: 'integer', description });
export const time = (moment: string): Schema => integer(`${moment}, in milliseconds since the epoch.`);
export const nothing = (description: string): Schema => ({ type: 'null', description });
export const bool = (description: string): Schema => ({ type: 'boolean', description });
export const anyObject = (description: string): Schema => ({ type: 'object', description });
export const anything = (description: string): Schema => ({ description });
export const oneOf = (description: string, ...values: readonly string[]): Schema => ({
  enum: values,
  description,
});

interface ObjectOptions {
  readonly description?: string;
  /** Names of members that may be absent. */
  readonly optional?: readonly string[];
  /** Whether the object may have additional members. */
  readonly open?: boolean;
}

export function object(
  properties: Readonly<Record<string, Schema>>,
  { description, optional = [], open = false }: ObjectOptions = {},
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    properties,
    required,
    additionalProperties: open,
  };
}

export const organizationId = text('Your id for the organization.');
export const documentId = text('Your id for the document.');

/** The organization and document of an event. */
export const location = object({ organizationId, documentId }, { description: 'Location of the event.' });

/** A user as the caller sent it, with additional members. */
export const user = (description: string): Schema =>
  object(
    {
      userId: text('Your id for the user.'),
      name: text('Name of the user, as sent.'),
      email: text('E-mail address of the user, as sent.'),
    },
    { description, optional: ['name', 'email'], open: true },
  );

/** Throws when two types have the same name. */
export function withUniqueNames(types: readonly EventType[]): readonly EventType[] {
  const names = new Set(types.map(({ name }) => name));
  if (names.size !== types.length) throw new Error('duplicate event type name');
  return types;
}
