import type { z } from 'zod';
import { invalidArgument, type Issue } from '../../domain/errors.ts';
import { memberPath, readIssues, type UnknownMember } from './issues.ts';

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
  const first = schema.safeParse(input);
  if (first.success) return { data: first.data, ignored: [] };
  const { issues, unknown } = readIssues(first.error);
  if (!passOverUnknown || unknown.length === 0) throw refusal(issues);
  for (const member of unknown) remove(input, member);
  const second = schema.safeParse(input);
  if (!second.success) throw refusal(readIssues(second.error).issues);
  return { data: second.data, ignored: unknown.map(({ path }) => memberPath(path)) };
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
