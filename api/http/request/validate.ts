import { z } from 'zod';
import { invalidArgument } from '../../../domain/errors.ts';
import { atOnce, inTurns, type Pausable } from '../../../platform/process/in-turns.ts';
import { memberPath, readIssues, unknownMembers, type Findings, type UnknownMember } from './issues.ts';
import { validateItems, runOn, spreadIssues, type ValidationContext } from './validate-items.ts';

/** A request that was found right. */
export interface Validated<Data> {
  readonly data: Data;
  /** Paths of members that were passed over; always empty on `/v2`. */
  readonly ignored: readonly string[];
}

/** How a request is judged. */
export interface ValidationOptions {
  readonly passOverUnknown: boolean;
  /** In turns with other requests. */
  readonly large: boolean;
  /** A member of the input may be called `__proto__`. */
  readonly mayNameProto: boolean;
}

/** Checks `input` whole. Throws INVALID_ARGUMENT with its issues, or answers the data and what `/v1` passed over. */
export async function validate<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  validationOptions: ValidationOptions,
): Promise<Validated<z.output<Schema>>> {
  const validating = validated(schema, input, validationOptions);
  return validationOptions.large ? inTurns(validating) : atOnce(validating);
}

function* validated<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  validationOptions: ValidationOptions,
): Pausable<Validated<z.output<Schema>>> {
  const found = yield* findings(schema, input, validationOptions);
  const { unknown } = found;
  if (found.total === 0) return { data: found.data as z.output<Schema>, ignored: [] };
  if (!validationOptions.passOverUnknown || unknown.length === 0) throw refusal(found);
  const again = yield* findings(schema, without(input, unknown), validationOptions);
  if (again.total > 0) throw refusal(again);
  return {
    data: again.data as z.output<Schema>,
    ignored: unknown.slice(0, maxIgnored).map(({ path }) => memberPath(path)),
  };
}

/** Members that are listed as passed over. */
const maxIgnored = 20;

function* findings(
  schema: z.ZodType,
  input: unknown,
  { large, mayNameProto }: ValidationOptions,
): Pausable<Findings & { readonly data?: unknown }> {
  const context: ValidationContext = {
    async: false,
    ...(large && { judged: yield* validateItems(schema, input) }),
  };
  const { value, issues } = runOn(schema, input, context);
  if (issues.length > 0) {
    return yield* readIssues(spreadIssues(issues), (issue) =>
      z.core.util.finalizeIssue(issue, context, z.core.config()),
    );
  }
  if (!mayNameProto) return { issues: [], total: 0, unknown: [], data: value };
  const { issues: lost, total, unknown } = unknownMembers(yield* lostMembers(input, value, []));
  return { issues: lost, total, unknown, data: value };
}

/**
 * Own members named `__proto__` that the schema did not keep. Zod leaves them out of open objects without a word, and
 * a member must never be dropped silently. `path` is where `input` stands; it is changed meanwhile.
 */
function* lostMembers(input: unknown, kept: unknown, path: PropertyKey[]): Pausable<UnknownMember[]> {
  if (typeof input !== 'object' || input === null || input === kept) return [];
  if (typeof kept !== 'object' || kept === null) return [];
  yield;
  const own = Object.hasOwn(input, '__proto__') && !Object.hasOwn(kept, '__proto__');
  const lost: UnknownMember[] = own ? [{ path: [...path, '__proto__'] }] : [];
  const names: PropertyKey[] = Array.isArray(input) ? [...input.keys()] : Object.keys(input);
  for (const name of names) {
    const part = (input as Record<PropertyKey, unknown>)[name];
    if (typeof part !== 'object' || part === null || name === '__proto__') continue;
    path.push(name);
    const below = yield* lostMembers(part, (kept as Record<PropertyKey, unknown>)[name], path);
    path.pop();
    for (const member of below) lost.push(member);
  }
  return lost;
}

function refusal({ issues: [first, ...others], total }: Findings): Error {
  if (first === undefined) throw new Error('A schema refused without a reason.');
  return invalidArgument([first, ...others], {}, total);
}

type Holder = Record<PropertyKey, unknown>;

/** The same without these members. What holds one of them is copied once, for `input` stays as it was sent. */
function without(input: unknown, members: readonly UnknownMember[]): unknown {
  const copies = new Set<object>();
  const copied = (holder: object): Holder => {
    if (copies.has(holder)) return holder as Holder;
    const copy = Array.isArray(holder) ? [...holder] : { ...holder };
    copies.add(copy);
    return copy;
  };
  const remove = (holder: Holder, [step, ...below]: readonly PropertyKey[]): void => {
    if (step === undefined) return;
    const part = holder[step];
    if (below.length === 0) delete holder[step];
    else if (typeof part === 'object' && part !== null) remove((holder[step] = copied(part)), below);
  };
  const whole = copied(input as object);
  for (const { path } of members) remove(whole, path);
  return whole;
}
