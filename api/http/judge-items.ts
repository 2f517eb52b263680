import { z } from 'zod';
import type { Pausable } from '../../platform/process/in-turns.ts';

type Payload = z.core.ParsePayload;

/** What has been found of the items of lists, by their schema and the item as sent. */
export type JudgedItems = ReadonlyMap<z.core.$ZodType, ReadonlyMap<unknown, Payload>>;

/** What zod passes down to every schema of one validation. */
export interface JudgingContext extends z.core.ParseContextInternal {
  readonly judged?: JudgedItems;
}

/**
 * The schema of a list's items, made so that a large list can be validated one item after the other: `judgeItems` does
 * so beforehand, and the list then takes each result over instead of finding it again.
 */
export function listItem<Schema extends z.ZodType>(schema: Schema): Schema {
  const item = schema.clone();
  const run = item._zod.run.bind(item._zod);
  item._zod.run = (payload, context) => {
    const known = (context as JudgingContext).judged?.get(item)?.get(payload.value);
    return known === undefined ? run(payload, context) : copyOf(known);
  };
  return item;
}

/** Lists prefix the paths of the issues that they take over. */
const copyOf = ({ value, issues }: Payload): Payload => ({
  value,
  issues: issues.map((issue) => ({ ...issue, ...(issue.path && { path: [...issue.path] }) })),
});

/** Validates every item of every list of `input`, inner lists first, and pauses between items. */
export function* judgeItems(schema: z.core.$ZodType, input: unknown): Pausable<JudgedItems> {
  const judged = new Map<z.core.$ZodType, Map<unknown, Payload>>();
  yield* judgeWithin(schema, input, judged);
  return judged;
}

type Judged = Map<z.core.$ZodType, Map<unknown, Payload>>;

function* judgeWithin(schema: z.core.$ZodType, input: unknown, judged: Judged): Pausable<void> {
  const inner = unwrapped(schema);
  if (inner instanceof z.core.$ZodArray && Array.isArray(input)) {
    yield* judgeList(inner._zod.def.element, input, judged);
  } else if (inner instanceof z.core.$ZodObject && typeof input === 'object' && input !== null) {
    for (const [name, member] of listMembers(inner)) {
      if (Object.hasOwn(input, name))
        yield* judgeWithin(member, (input as Record<string, unknown>)[name], judged);
    }
  }
}

function* judgeList(item: z.core.$ZodType, list: readonly unknown[], judged: Judged): Pausable<void> {
  const results = judged.get(item) ?? new Map<unknown, Payload>();
  judged.set(item, results);
  const context: JudgingContext = { async: false, judged };
  for (const value of list) {
    yield* judgeWithin(item, value, judged);
    results.set(value, runOn(item, value, context));
    yield;
  }
}

/** What `schema` finds of a value. */
export function runOn(schema: z.core.$ZodType, value: unknown, context: JudgingContext): Payload {
  const found = run(schema, value, context);
  if (!('error' in found)) return found;
  const comparable = run(schema, withoutLengths(value, context.judged), context);
  if ('error' in comparable || comparable.issues.length === 0) throw found.error;
  return comparable;
}

/**
 * Zod compares the `length` of whatever stands in the place of a text or a list. An object there whose own `toString`
 * or `valueOf` is no function cannot be compared, and throws: it is then judged without that member, by its type.
 */
function run(
  schema: z.core.$ZodType,
  value: unknown,
  context: JudgingContext,
): Payload | { readonly error: unknown } {
  try {
    return schema._zod.run({ value, issues: [] }, context) as Payload;
  } catch (error) {
    return { error };
  }
}

function withoutLengths(input: unknown, judged: JudgedItems | undefined): unknown {
  if (typeof input !== 'object' || input === null || isJudged(input, judged)) return input;
  if (Array.isArray(input)) return input.map((item) => withoutLengths(item, judged));
  const comparable = Object.entries(input).filter(
    ([name, member]) => !['length', 'size'].includes(name) || typeof member !== 'object',
  );
  return Object.fromEntries(comparable.map(([name, member]) => [name, withoutLengths(member, judged)]));
}

const isJudged = (input: unknown, judged: JudgedItems = new Map()): boolean =>
  [...judged.values()].some((results) => results.has(input));

const wrappers = [
  z.core.$ZodOptional,
  z.core.$ZodNullable,
  z.core.$ZodDefault,
  z.core.$ZodPrefault,
  z.core.$ZodReadonly,
] as const;

/** The schema that judges what was sent. */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.core.$ZodPipe) return unwrapped(schema._zod.def.in);
  const wrapper = wrappers.some((kind) => schema instanceof kind);
  return wrapper ? unwrapped((schema as z.core.$ZodOptional)._zod.def.innerType) : schema;
}

type Member = readonly [name: string, schema: z.core.$ZodType];

const knownMembers = new WeakMap<z.core.$ZodObject, readonly Member[]>();

/** Members of an object that are lists, or hold some. */
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
  return inner instanceof z.core.$ZodArray;
}
