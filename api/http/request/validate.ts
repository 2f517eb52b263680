import { z } from 'zod';
import { invalidArgument } from '../../../domain/errors.ts';
import { atOnce, inTurns, type Pausable } from '../../../platform/process/in-turns.ts';
import { memberPath, readIssues, unknownMembers, type Findings, type UnknownMember } from './issues.ts';
import { asSent } from './merged-lists.ts';
import { validateItems, runOn, spreadIssues, validationContext } from './validate-items.ts';

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
    const rest = yield* without(kept, unknown);
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
  const context = validationContext(large ? yield* validateItems(schema, input) : undefined);
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
  if (Array.isArray(kept) && asSent(kept) !== kept) return yield* lostMembers(input, asSent(kept), path);
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

/** Members to remove from an object or a list, and from its parts. */
interface Removal {
  readonly names: Set<PropertyKey>;
  readonly below: Map<PropertyKey, Removal>;
}

const nothing = (): Removal => ({ names: new Set(), below: new Map() });

function* removalOf(members: readonly UnknownMember[]): Pausable<Removal> {
  const whole = nothing();
  for (const { path } of members) {
    let removal = whole;
    for (const step of path.slice(0, -1)) {
      const below = removal.below.get(step) ?? nothing();
      removal.below.set(step, below);
      removal = below;
    }
    const [name] = path.slice(-1);
    if (name !== undefined) removal.names.add(name);
    yield;
  }
  return whole;
}

/** The part of a removal that is for the only item of a list. */
const ofOnlyItem = ({ names, below }: Removal): Removal => ({
  names: new Set([...names].filter((name) => typeof name !== 'number')),
  below: new Map([...below].filter(([step]) => typeof step !== 'number')),
});

/**
 * Returns a copy of `input` without these members, or undefined when it has none of them. Copies only the objects on
 * their paths, each once.
 */
function* without(input: unknown, members: readonly UnknownMember[]): Pausable<unknown> {
  let found = false;
  function* copied(part: unknown, removal: Removal): Pausable<unknown> {
    if (typeof part !== 'object' || part === null) return part;
    if (Array.isArray(part)) return yield* copiedList(part, removal);
    const copy: Holder = {};
    for (const name of Object.keys(part)) {
      yield;
      if (removal.names.has(name)) {
        found = true;
        continue;
      }
      const below = removal.below.get(name);
      const member = (part as Holder)[name];
      const value = below === undefined ? member : yield* copied(member, below);
      if (name !== '__proto__') copy[name] = value;
      else Object.defineProperty(copy, name, { value, writable: true, enumerable: true, configurable: true });
    }
    return copy;
  }
  function* copiedList(list: readonly unknown[], removal: Removal): Pausable<unknown[]> {
    const copy = [...list];
    for (const [step, below] of removal.below)
      if (typeof step === 'number' && step < copy.length) copy[step] = yield* copied(copy[step], below);
    const only = ofOnlyItem(removal);
    if (copy.length === 1 && only.names.size + only.below.size > 0) copy[0] = yield* copied(copy[0], only);
    return copy;
  }
  const whole = yield* copied(input, yield* removalOf(members));
  return found ? whole : undefined;
}
