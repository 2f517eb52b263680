import type { z } from 'zod';
import { invalidArgument, type Issue } from '../../domain/errors.ts';
import { memberPath, readIssues, unknownMembers, type Findings, type UnknownMember } from './issues.ts';

export interface Validated<Data> {
  readonly data: Data;
  /** Paths of members that were passed over; always empty on `/v2`. */
  readonly ignored: readonly string[];
}

/** Checks `input` whole. Throws INVALID_ARGUMENT with every issue, or answers the data and what `/v1` passed over. */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  { passOverUnknown }: { readonly passOverUnknown: boolean },
): Validated<z.output<Schema>> {
  const { issues, unknown, data } = findings(schema, input);
  if (issues.length === 0) return { data: data as z.output<Schema>, ignored: [] };
  if (!passOverUnknown || unknown.length === 0) throw refusal(issues);
  for (const member of unknown) remove(input, member);
  const again = findings(schema, input);
  if (again.issues.length > 0) throw refusal(again.issues);
  return { data: again.data as z.output<Schema>, ignored: unknown.map(({ path }) => memberPath(path)) };
}

function findings(schema: z.ZodType, input: unknown): Findings & { readonly data?: unknown } {
  const result = parse(schema, input);
  if (!result.success) return readIssues(result.error);
  const lost = lostMembers(input, result.data, []);
  return { ...unknownMembers(lost), data: result.data };
}

/**
 * Zod compares the `length` of whatever stands in the place of a text or a list. An object there whose own `toString`
 * or `valueOf` is no function cannot be compared, and throws: it is then judged without that member, by its type.
 */
function parse<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): z.ZodSafeParseResult<z.output<Schema>> {
  try {
    return schema.safeParse(input);
  } catch (error) {
    const result = schema.safeParse(withoutLengths(input));
    if (result.success) throw error;
    return result;
  }
}

function withoutLengths(input: unknown): unknown {
  if (Array.isArray(input)) return input.map(withoutLengths);
  if (typeof input !== 'object' || input === null) return input;
  const comparable = Object.entries(input).filter(
    ([name, member]) => !['length', 'size'].includes(name) || typeof member !== 'object',
  );
  return Object.fromEntries(comparable.map(([name, member]) => [name, withoutLengths(member)]));
}

/**
 * Own members named `__proto__` that the schema did not keep. Zod leaves them out of open objects without a word, and
 * a member must never be dropped silently.
 */
function lostMembers(input: unknown, kept: unknown, path: readonly PropertyKey[]): UnknownMember[] {
  if (typeof input !== 'object' || input === null || input === kept) return [];
  if (typeof kept !== 'object' || kept === null) return [];
  const own = Object.hasOwn(input, '__proto__') && !Object.hasOwn(kept, '__proto__');
  const lost: UnknownMember[] = own ? [{ path: [...path, '__proto__'] }] : [];
  const names: PropertyKey[] = Array.isArray(input) ? [...input.keys()] : Object.keys(input);
  for (const name of names) {
    const part = (input as Record<PropertyKey, unknown>)[name];
    if (typeof part !== 'object' || part === null || name === '__proto__') continue;
    lost.push(...lostMembers(part, (kept as Record<PropertyKey, unknown>)[name], [...path, name]));
  }
  return lost;
}

function refusal(issues: readonly Issue[]): Error {
  const [first, ...others] = issues;
  if (first === undefined) throw new Error('A schema refused without a reason.');
  return invalidArgument([first, ...others]);
}

function remove(input: unknown, { path }: UnknownMember): void {
  let holder: unknown = input;
  for (const step of path.slice(0, -1)) {
    if (typeof holder !== 'object' || holder === null) return;
    holder = (holder as Record<PropertyKey, unknown>)[step];
  }
  const last = path.at(-1);
  if (typeof holder === 'object' && holder !== null && last !== undefined) {
    delete (holder as Record<PropertyKey, unknown>)[last];
  }
}
