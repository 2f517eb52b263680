import type { z } from 'zod';
import { maxIssues, type Issue } from '../../../domain/errors.ts';
import type { Pausable } from '../../../platform/process/in-turns.ts';

/*
 * All validation messages. `<m>` is replaced by the member's path without `data.`. A message never contains the value.
 */

type RawIssue = z.core.$ZodRawIssue;

const unknownText = 'Unknown member: <m>.';

const article: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'a boolean',
  object: 'an object',
  record: 'an object',
  array: 'an array',
};

function typeMessage(issue: RawIssue & { expected?: string }): string {
  if (issue.input === undefined) return '<m> is required.';
  if (issue.input === null) return '<m> must not be null.';
  if (issue.expected === 'number' && isInteger(issue.inst)) return '<m> must be an integer.';
  return `<m> must be ${article[issue.expected ?? ''] ?? issue.expected ?? 'another type'}.`;
}

/** Whether a schema accepts integers only: zod calls the expected type of `z.int()` a number. */
function isInteger(schema: RawIssue['inst']): boolean {
  const { format } = (schema?._zod.def ?? {}) as { readonly format?: string };
  return format === 'safeint';
}

function sizeMessage(issue: RawIssue & { origin?: string; minimum?: unknown; maximum?: unknown }): string {
  const bound = issue.code === 'too_big' ? issue.maximum : issue.minimum;
  if (issue.code === 'too_small' && issue.origin === 'string') return '<m> must not be empty.';
  if (issue.origin === 'string') return `<m> must be at most ${String(bound)} characters.`;
  const direction = issue.code === 'too_big' ? 'at most' : 'at least';
  const items = issue.origin === 'array' ? ' items' : '';
  return `<m> must ${issue.origin === 'array' ? 'hold' : 'be'} ${direction} ${String(bound)}${items}.`;
}

/** Message templates of zod's own issues. A schema's own `error` takes precedence. */
export function messageTemplate(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return typeMessage(issue);
    case 'invalid_value':
      if (issue.input === undefined || issue.input === null) return typeMessage(issue);
      return `<m> must be one of: ${issue.values.map(String).join(', ')}.`;
    case 'too_big':
    case 'too_small':
      return sizeMessage(issue);
    case 'invalid_format':
      return issue.format === 'email'
        ? '<m> must be a valid e-mail address.'
        : '<m> is not of the expected form.';
    case 'invalid_union':
      return issue.input === undefined || issue.input === null
        ? typeMessage(issue)
        : '<m> is not of an accepted type.';
    case 'invalid_key':
      // The issue of the name begins with `<m>`.
      return `The name of ${issue.issues[0]?.message ?? '<m> is not accepted.'}`;
    case 'unrecognized_keys':
      return unknownText;
    default:
      return undefined;
  }
}

/** Creates a schema's `error` for wrong values. Absent and null members keep the common messages. */
export function invalidValue(text: string): (issue: { input?: unknown }) => string | undefined {
  return ({ input }) => (input === undefined || input === null ? undefined : text);
}

const plainMember = /^[A-Za-z_$][\w$-]*$/;

/** Max characters of a path and of each name in it. A caller may send names of up to 1 MiB. */
const maxCharacters = { path: 200, name: 100 } as const;

/** Writes `['users', 0, 'e mail']` as `users[0]["e mail"]`. Cuts names at 100 characters and ends a path beyond 200 with `…`. */
export function memberPath(path: readonly PropertyKey[]): string {
  let written = '';
  for (const step of path) {
    const next = stepText(step, written === '');
    if (written.length + next.length > maxCharacters.path) return `${written}…`;
    written += next;
  }
  return written;
}

function stepText(step: PropertyKey, isFirst: boolean): string {
  if (typeof step === 'number') return `[${String(step)}]`;
  const name = String(step).slice(0, maxCharacters.name);
  if (!plainMember.test(name)) return `[${JSON.stringify(name)}]`;
  return isFirst ? name : `.${name}`;
}

function issueAt(path: readonly PropertyKey[], text: string): Issue {
  const member = memberPath(path);
  // A replacement function, because `$` in a name would be a replacement pattern.
  return { path: member, message: text.replaceAll('<m>', () => member || 'data') };
}

/** A member that the schema does not know or whose name is reserved. `/v1` ignores it, `/v2` rejects it. */
export interface UnknownMember {
  readonly path: readonly PropertyKey[];
}

/** Members of an issue of `openRecord` about a reserved name, which is treated like an unknown member. */
export const reservedMember = { message: unknownText, params: { reserved: true } } as const;

/** The issues of a request. */
export interface Findings {
  /** The first 100. */
  readonly issues: readonly Issue[];
  /** Number of all issues. */
  readonly total: number;
  /** All unknown members. */
  readonly unknown: readonly UnknownMember[];
}

/** Collects findings in order. Counts identical ones once. */
class Gathered implements Findings {
  readonly issues: Issue[] = [];
  readonly unknown: UnknownMember[] = [];
  readonly #seen = new Set<string>();

  get total(): number {
    return this.#seen.size;
  }

  add(path: readonly PropertyKey[], text: string): void {
    const { size } = this.#seen;
    this.#seen.add([text, ...path.map((step) => String(step).slice(0, maxCharacters.name))].join('\n'));
    // Writes messages only for issues that are listed.
    if (this.#seen.size > size && size < maxIssues) this.issues.push(issueAt(path, text));
  }

  addUnknown(path: readonly PropertyKey[]): void {
    this.unknown.push({ path });
    this.add(path, unknownText);
  }
}

/** Separates unknown members from other issues, both in schema order. `finish` adds the message of an issue. */
export function* readIssues(
  issues: Iterable<RawIssue>,
  finish: (issue: RawIssue) => z.core.$ZodIssue,
): Pausable<Findings> {
  const gathered = new Gathered();
  for (const raw of issues) {
    const issue = finish(raw);
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) {
        gathered.addUnknown([...issue.path, key]);
        yield;
      }
    } else if (issue.code === 'custom' && issue.params?.['reserved'] === true) {
      gathered.addUnknown(issue.path);
    } else gathered.add(issue.path, issue.message);
    yield;
  }
  return gathered;
}

/** Returns findings of unknown members only. */
export function unknownMembers(unknown: readonly UnknownMember[]): Findings {
  const gathered = new Gathered();
  for (const { path } of unknown) gathered.addUnknown(path);
  return gathered;
}
