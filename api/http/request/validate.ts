import { z } from 'zod';
import { invalidArgument } from '../../../domain/errors.ts';
import { atOnce, inTurns, type Pausable } from '../../../platform/process/in-turns.ts';
import { memberPath, readIssues, unknownMembers, type Findings, type UnknownMember } from './issues.ts';
import { validateItems, runOn, spreadIssues, type ValidationContext } from './validate-items.ts';

/** A valid request. */
export interface Validated<Data> {
  readonly data: Data;
  /** Paths of ignored members, at most 20. Always empty on `/v2`. */
  readonly ignored: readonly string[];
}

/** Options of `validate`. */
export interface ValidationOptions {
  readonly passOverUnknown: boolean;
  /** Yields to other requests between items. */
  readonly large: boolean;
  /** The input may have a member named `__proto__`. */
  readonly mayNameProto: boolean;
}

/** Validates `input`. Throws INVALID_ARGUMENT with all issues. Returns the data and the members that `/v1` ignores. */
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
  const ignored: UnknownMember[] = [];
  // Another round finds what the issues of this one hide: zod drops `__proto__` without an issue.
  for (let kept = input; ;) {
    const found = yield* findings(schema, kept, validationOptions);
    const { unknown } = found;
    if (found.total === 0) {
      const listed = ignored.slice(0, maxIgnored).map(({ path }) => memberPath(path));
      return { data: found.data as z.output<Schema>, ignored: listed };
    }
    if (!validationOptions.passOverUnknown || unknown.length === 0) throw refusal(found);
    for (const member of unknown) ignored.push(member);
    const rest = without(kept, unknown);
    // Each further round has removed a member, so the rounds end.
    if (rest === undefined) throw refusal(found);
    kept = rest;
  }
}

/** Max ignored members that are listed. */
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
 * Returns own members named `__proto__` that zod dropped: it omits them from open objects silently, and a member must
 * never be dropped silently. `path` locates `input`; it changes during the call.
 */
function* lostMembers(input: unknown, kept: unknown, path: PropertyKey[]): Pausable<UnknownMember[]> {
  if (typeof input !== 'object' || input === null || input === kept) return [];
  if (typeof kept !== 'object' || kept === null) return [];
  if (Array.isArray(input) && !Array.isArray(kept)) return yield* lostMembers(onlyItem(input), kept, path);
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
  if (first === undefined) throw new Error('schema rejected a request without an issue');
  return invalidArgument([first, ...others], {}, total);
}

type Holder = Record<PropertyKey, unknown>;

/** The item of a list of one, which some schemas accept in place of the item itself; their paths have no index for it. */
const onlyItem = (list: readonly unknown[]): unknown => (list.length === 1 ? list[0] : undefined);

/**
 * Returns a copy of `input` without these members, or undefined when it has none of them. Copies only the objects on
 * their paths.
 */
function without(input: unknown, members: readonly UnknownMember[]): unknown {
  let found = false;
  const copies = new Set<object>();
  const copied = (holder: object): Holder => {
    if (copies.has(holder)) return holder as Holder;
    const copy = Array.isArray(holder) ? [...holder] : { ...holder };
    copies.add(copy);
    return copy;
  };
  const remove = (holder: Holder, path: readonly PropertyKey[]): void => {
    const [step, ...below] = path;
    if (step === undefined) return;
    if (Array.isArray(holder) && typeof step !== 'number') {
      const only = onlyItem(holder);
      if (typeof only === 'object' && only !== null) remove((holder[0] = copied(only)), path);
      return;
    }
    const part = holder[step];
    if (below.length === 0) {
      found ||= Object.hasOwn(holder, step);
      delete holder[step];
    } else if (typeof part === 'object' && part !== null) remove((holder[step] = copied(part)), below);
  };
  const whole = copied(input as object);
  for (const { path } of members) remove(whole, path);
  return found ? whole : undefined;
}
