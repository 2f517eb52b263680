import { z } from 'zod';

/** A fragment of a JSON Schema. */
type SchemaFragment = Readonly<Record<string, unknown>>;

/** What a rule sees: members whose values it reads have their types, the others may have any value. */
type Seen<Data, Read extends keyof Data> = Pick<Data, Read> & { readonly [Member in keyof Data]?: unknown };

type Check<Data> = (data: Data, context: z.core.$RefinementCtx<Data>) => void;

/** Key of the rules in zod's bag of schema properties. */
const rulesKey = 'rules';

/**
 * Creates a rule between members for `.check()`. The API reference shows its description and JSON Schema, which may omit
 * conditions that JSON Schema cannot express. The rule is checked although other members are invalid, so that one
 * response lists all issues, but not while a member in `reads` is. `reads`: the members whose values it reads; it may
 * always read which members were sent.
 */
export function rule<Data, const Read extends keyof Data & string = never>(
  description: string,
  schema: SchemaFragment,
  reads: readonly Read[],
  check: Check<Seen<Data, Read>>,
): z.core.$ZodCheck<Data> {
  return ruleOf(description, schema, reads, check as unknown as Check<Data>);
}

function ruleOf<Data>(
  description: string,
  schema: SchemaFragment,
  reads: readonly string[],
  check: Check<Data>,
): z.core.$ZodCheck<Data> {
  const made = z.superRefine(check, { when: whenValid(reads) });
  made._zod.onattach.push(({ _zod: { bag } }) => {
    bag[rulesKey] = [
      ...((bag[rulesKey] as readonly SchemaFragment[] | undefined) ?? []),
      { description, ...schema },
    ];
  });
  return made;
}

/** Whether the data is an object, and none of these members has an issue after which zod does not check it further. */
const whenValid =
  (members: readonly string[]) =>
  ({ issues }: z.core.ParsePayload): boolean =>
    issues.every(({ continue: mayContinue, path: [member] = [] }) => {
      if (mayContinue === true) return true;
      return member !== undefined && !members.includes(String(member));
    });

/** Returns the JSON Schemas of a schema's rules, in order. */
export function ruleSchemasOf({ _zod: { bag } }: z.core.$ZodType): readonly SchemaFragment[] {
  return (bag[rulesKey] as readonly SchemaFragment[] | undefined) ?? [];
}

/** Matches when all these members are sent. */
export const sends = (...members: readonly string[]): SchemaFragment => ({
  required: members,
  // Linters expect each required member among the properties.
  properties: Object.fromEntries(members.map((member) => [member, {}])),
});
/** Matches when a switch is on. */
export const on = (member: string): SchemaFragment => has(member, { const: true });
/** Matches when a member is sent and matches `like`. */
export const has = (member: string, like: SchemaFragment): SchemaFragment => ({
  required: [member],
  properties: { [member]: like },
});
/** Matches when the fragment does not. */
export const not = (schema: SchemaFragment): SchemaFragment => ({ not: schema });
/** Matches when at least one fragment does. */
export function anyOf(...schema: readonly SchemaFragment[]): SchemaFragment {
  const [only, ...others] = schema;
  return only !== undefined && others.length === 0 ? only : { anyOf: schema };
}
/** Matches when all fragments do. */
export const allOf = (...schema: readonly SchemaFragment[]): SchemaFragment => ({ allOf: schema });

const valueOf = (data: object, member: string): unknown => (data as Record<string, unknown>)[member];

const sent = (data: object, member: string): boolean => valueOf(data, member) !== undefined;

/** Rejects requests with both members. */
export const exclude = (member: string, other: string): z.core.$ZodCheck<object> =>
  ruleOf<object>(
    `${member} and ${other} exclude each other.`,
    not(sends(member, other)),
    [],
    (data, context) => {
      if (sent(data, member) && sent(data, other)) {
        context.addIssue({ code: 'custom', path: [member], message: `<m> and ${other} exclude each other.` });
      }
    },
  );

/** Requires at least one of several members. `text` is the message of the refusal. */
export const atLeastOne = (members: readonly string[], text: string): z.core.$ZodCheck<object> =>
  ruleOf<object>(text, anyOf(...members.map((member) => sends(member))), [], (data, context) => {
    if (!members.some((member) => sent(data, member))) context.addIssue({ code: 'custom', message: text });
  });

/** Requires one of several members and excludes the others. `text` is the message of the refusal. */
export const exactlyOne = (members: readonly string[], text: string): z.core.$ZodCheck<object> =>
  ruleOf<object>(text, { oneOf: members.map((member) => sends(member)) }, [], (data, context) => {
    if (members.filter((member) => sent(data, member)).length !== 1)
      context.addIssue({ code: 'custom', message: text });
  });

/** Requires a member where another one, `by`, has a value. */
export const requiredFor = (
  member: string,
  by: string,
  value: string,
  message = '<m> is required.',
): z.core.$ZodCheck<object> =>
  ruleOf<object>(
    `${member} is required for the ${by} ${value}.`,
    anyOf(not(has(by, { const: value })), sends(member)),
    [by],
    (data, context) => {
      if (valueOf(data, by) === value && !sent(data, member))
        context.addIssue({ code: 'custom', path: [member], message });
    },
  );

/**
 * Rejects a switch that is on together with a member that it excludes. A member with the value false counts as absent.
 */
export const flagExcludes = (flag: string, other: string): z.core.$ZodCheck<object> =>
  ruleOf<object>(
    `${flag} and ${other} exclude each other.`,
    not(allOf(on(flag), has(other, not({ const: false })))),
    [flag, other],
    (data, context) => {
      const value = valueOf(data, other);
      if (valueOf(data, flag) === true && value !== undefined && value !== false) {
        context.addIssue({ code: 'custom', path: [flag], message: `<m> and ${other} exclude each other.` });
      }
    },
  );
