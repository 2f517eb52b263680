import { z } from 'zod';

/** A part of a JSON Schema. */
type Told = Readonly<Record<string, unknown>>;

type Check<Data> = (data: Data, context: z.core.$RefinementCtx<Data>) => void;

/** The place of rules among what zod keeps of a schema, beside its bounds. */
const rules = 'rules';

/**
 * A rule between members, for `.check()`: what is checked, and a sentence and a JSON Schema that tell the same in the
 * reference. Whatever the rule judges beside members, such as sizes, need not be told. `when` as zod's.
 */
export function rule<Data>(
  description: string,
  told: Told,
  check: Check<Data>,
  when?: z.core.$ZodSuperRefineParams['when'],
): z.core.$ZodCheck<Data> {
  const made = z.superRefine(check, when === undefined ? {} : { when });
  made._zod.onattach.push(({ _zod: { bag } }) => {
    bag[rules] = [...((bag[rules] as readonly Told[] | undefined) ?? []), { description, ...told }];
  });
  return made;
}

/** What the rules of a schema tell, in their order. */
export function ruleSchemasOf({ _zod: { bag } }: z.core.$ZodType): readonly Told[] {
  return (bag[rules] as readonly Told[] | undefined) ?? [];
}

/** All of these members are sent. */
export const present = (...members: readonly string[]): Told => ({ required: members });
/** A switch is on. */
export const on = (member: string): Told => has(member, { const: true });
/** A member is sent, and is like this. */
export const has = (member: string, like: Told): Told => ({
  required: [member],
  properties: { [member]: like },
});
/** It does not hold. */
export const never = (told: Told): Told => ({ not: told });
/** At least one of them holds. */
export const either = (...told: readonly Told[]): Told => ({ anyOf: told });
/** All of them hold. */
export const both = (...told: readonly Told[]): Told => ({ allOf: told });

const sent = (data: object, member: string): boolean =>
  (data as Record<string, unknown>)[member] !== undefined;

/** At most one of two members. */
export const exclude = (member: string, other: string): z.core.$ZodCheck<object> =>
  rule(`${member} and ${other} exclude each other.`, never(present(member, other)), (data, context) => {
    if (sent(data, member) && sent(data, other)) {
      context.addIssue({ code: 'custom', path: [member], message: `<m> and ${other} exclude each other.` });
    }
  });

/** At least one of several members; the text is the answer's message. */
export const atLeastOne = (members: readonly string[], text: string): z.core.$ZodCheck<object> =>
  rule(text, either(...members.map((member) => present(member))), (data, context) => {
    if (!members.some((member) => sent(data, member))) context.addIssue({ code: 'custom', message: text });
  });

/** A switch that is on, and another member that it makes senseless. A member that is switched off counts as absent. */
export const flagExcludes = (flag: string, other: string): z.core.$ZodCheck<object> =>
  rule(
    `${flag} and ${other} exclude each other.`,
    never(both(on(flag), has(other, never({ const: false })))),
    (data, context) => {
      const value = (data as Record<string, unknown>)[other];
      if ((data as Record<string, unknown>)[flag] === true && value !== undefined && value !== false) {
        context.addIssue({ code: 'custom', path: [flag], message: `<m> and ${other} exclude each other.` });
      }
    },
  );
