import { z } from 'zod';
import type { Pausable } from '../../../platform/process/in-turns.ts';
import { messageTemplate } from './issues.ts';

type Payload = z.core.ParsePayload;
type RawIssue = z.core.$ZodRawIssue;

/** The validated items of a list. */
interface ValidatedList {
  readonly value: unknown[];
  /** Issues of invalid items, by index. */
  readonly wrong: (readonly [index: number, issues: readonly RawIssue[]])[];
}

/** Results by the list as it was sent. */
export type ValidatedLists = ReadonlyMap<unknown, ValidatedList>;

/** The context that zod passes to every schema of one validation. */
export interface ValidationContext extends z.core.ParseContextInternal {
  readonly judged?: ValidatedLists | undefined;
}

/** Zod writes some messages while it validates, such as those of names. */
export const validationContext = (judged?: ValidatedLists): ValidationContext => ({
  async: false,
  error: messageTemplate,
  judged,
});

/** Represents the issues of items among the issues of their list. */
const wrongItems = Symbol('wrong items');

/** Lists whose items `validateItems` validates, each with its max length. Longer lists are rejected without validating items. */
const slicedLists = new WeakMap<z.core.$ZodType, number>();

/**
 * Lets `validateItems` validate the items of a large list one by one: the list then takes over the results and runs only
 * its own checks. Pass a fresh schema. Zod validates no item of a list longer than `max`. `describe` changes the returned
 * list itself, because a copy of it would validate without slices.
 */
export function inSlices<List extends z.ZodArray>(list: List, max = Infinity): List {
  const run = list._zod.run.bind(list._zod);
  const checksAlone = list.clone({ ...list._zod.def, element: z.unknown() });
  list._zod.run = (payload, context) => {
    const known = (context as ValidationContext).judged?.get(payload.value);
    if (known === undefined) return run(payload, context);
    if (known.wrong.length > 0) payload.issues.push(issueFor(known));
    payload.value = known.value;
    return checksAlone._zod.run(payload, context);
  };
  list.describe = (description) => {
    z.globalRegistry.add(list, { ...z.globalRegistry.get(list), description });
    return list;
  };
  slicedLists.set(list, max);
  return list;
}

function issueFor({ wrong }: ValidatedList): RawIssue {
  const mayContinue = wrong.every(([, issues]) => issues.every((found) => found.continue === true));
  const issue = {
    code: 'custom' as const,
    input: undefined,
    path: [],
    // As in zod, the list's own checks run only if no item has a wrong type. False would also stop rules between members.
    ...(mayContinue && { continue: true }),
  };
  return Object.assign(issue, { [wrongItems]: wrong });
}

/** Expands the issues of items in place. */
export function* spreadIssues(issues: readonly RawIssue[]): Generator<RawIssue, void, undefined> {
  for (const issue of issues) {
    const wrong = (issue as { readonly [wrongItems]?: ValidatedList['wrong'] })[wrongItems];
    if (wrong === undefined) {
      yield issue;
      continue;
    }
    for (const [index, ofItem] of wrong) {
      for (const inner of spreadIssues(ofItem))
        yield { ...inner, path: [...(issue.path ?? []), index, ...(inner.path ?? [])] };
    }
  }
}

/** Validates each item of each list of `input`, inner lists first, and pauses between items. */
export function* validateItems(schema: z.core.$ZodType, input: unknown): Pausable<ValidatedLists> {
  const judged = new Map<unknown, ValidatedList>();
  yield* validateWithin(schema, input, judged);
  return judged;
}

function* validateWithin(
  schema: z.core.$ZodType,
  input: unknown,
  judged: Map<unknown, ValidatedList>,
): Pausable<void> {
  const inner = unwrapped(schema);
  if (inner instanceof z.core.$ZodArray && Array.isArray(input)) {
    if (input.length > (slicedLists.get(inner) ?? 0)) return;
    judged.set(input, yield* validateList(inner._zod.def.element, input, judged));
  } else if (inner instanceof z.core.$ZodObject && typeof input === 'object' && input !== null) {
    for (const [name, member] of listMembers(inner)) {
      if (Object.hasOwn(input, name))
        yield* validateWithin(member, (input as Record<string, unknown>)[name], judged);
    }
  } else if (inner instanceof z.core.$ZodPreprocess) {
    // The validation preprocesses again, and finds the lists that are then the same.
    const { value, issues } = runOn(inner._zod.def.in, input, validationContext());
    if (issues.length === 0) yield* validateWithin(inner._zod.def.out, value, judged);
  }
}

function* validateList(
  item: z.core.$ZodType,
  list: readonly unknown[],
  judged: Map<unknown, ValidatedList>,
): Pausable<ValidatedList> {
  const results: ValidatedList = { value: [], wrong: [] };
  const context = validationContext(judged);
  for (const sent of list) {
    yield* validateWithin(item, sent, judged);
    const { value, issues } = runOn(item, sent, context);
    if (issues.length > 0) results.wrong.push([results.value.length, issues]);
    results.value.push(value);
    yield;
  }
  return results;
}

/** Runs `schema` on a value. */
export function runOn(schema: z.core.$ZodType, value: unknown, context: ValidationContext): Payload {
  const found = run(schema, value, context);
  if (!('error' in found)) return found;
  const compared = run(schema, comparable(value, context.judged), context);
  if ('error' in compared || compared.issues.length === 0) throw found.error;
  return compared;
}

/**
 * Zod compares the `length` of any value where a text or list is expected. An object as `length` whose own `toString` or
 * `valueOf` is not a function makes the comparison throw; `runOn` then validates the value with an empty object there.
 */
function run(
  schema: z.core.$ZodType,
  value: unknown,
  context: ValidationContext,
): Payload | { readonly error: unknown } {
  try {
    return schema._zod.run({ value, issues: [] }, context) as Payload;
  } catch (error) {
    return { error };
  }
}

function comparable(input: unknown, judged: ValidatedLists | undefined): unknown {
  if (typeof input !== 'object' || input === null || judged?.has(input) === true) return input;
  if (Array.isArray(input)) return input.map((item) => comparable(item, judged));
  const isCompared = (name: string, member: unknown) =>
    ['length', 'size'].includes(name) && typeof member === 'object' && member !== null;
  return Object.fromEntries(
    Object.entries(input).map(([name, member]) => [
      name,
      isCompared(name, member) ? {} : comparable(member, judged),
    ]),
  );
}

const wrappers = [
  z.core.$ZodOptional,
  z.core.$ZodNullable,
  z.core.$ZodDefault,
  z.core.$ZodPrefault,
  z.core.$ZodReadonly,
] as const;

/** Returns the schema that validates or preprocesses the value as sent. */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.core.$ZodPreprocess) return schema;
  if (schema instanceof z.core.$ZodPipe) return unwrapped(schema._zod.def.in);
  const wrapper = wrappers.some((kind) => schema instanceof kind);
  return wrapper ? unwrapped((schema as z.core.$ZodOptional)._zod.def.innerType) : schema;
}

type Member = readonly [name: string, schema: z.core.$ZodType];

const knownMembers = new WeakMap<z.core.$ZodObject, readonly Member[]>();

/** Returns the members of an object that are or contain lists. */
function listMembers(schema: z.core.$ZodObject): readonly Member[] {
  const known = knownMembers.get(schema);
  if (known !== undefined) return known;
  const members = Object.entries(schema._zod.def.shape as Record<string, z.core.$ZodType>).filter(
    ([, member]) => holdsLists(member),
  );
  knownMembers.set(schema, members);
  return members;
}

function holdsLists(schema: z.core.$ZodType): boolean {
  const inner = unwrapped(schema);
  if (inner instanceof z.core.$ZodObject) return listMembers(inner).length > 0;
  if (inner instanceof z.core.$ZodPreprocess) return holdsLists(inner._zod.def.out);
  return inner instanceof z.core.$ZodArray;
}
