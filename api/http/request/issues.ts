import { z } from 'zod';
import { maxIssues, type Issue } from '../../../domain/errors.ts';
import type { Pausable } from '../../../platform/process/in-turns.ts';

/**
 * Every message of validation comes from here. `<m>` stands for the member, its path written without `data.`;
 * the value itself never appears.
 */
type RawIssue = z.core.$ZodRawIssue;

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
  return `<m> must be ${article[issue.expected ?? ''] ?? issue.expected ?? 'another type'}.`;
}

function sizeMessage(issue: RawIssue & { origin?: string; minimum?: unknown; maximum?: unknown }): string {
  const bound = issue.code === 'too_big' ? issue.maximum : issue.minimum;
  if (issue.code === 'too_small' && issue.origin === 'string') return '<m> must not be empty.';
  if (issue.origin === 'string') return `<m> must be at most ${String(bound)} characters.`;
  const direction = issue.code === 'too_big' ? 'at most' : 'at least';
  const items = issue.origin === 'array' ? ' items' : '';
  return `<m> must ${issue.origin === 'array' ? 'hold' : 'be'} ${direction} ${String(bound)}${items}.`;
}

/** The message templates of what zod itself finds; a schema's own `error` comes before it. */
function template(issue: RawIssue): string | undefined {
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
    case 'unrecognized_keys':
      return 'Unknown member: <m>.';
    default:
      return undefined;
  }
}

z.config({ customError: template });

/** For a schema's `error`: speaks of a wrong value, leaves absent and null to the rules that all members share. */
export function invalidValue(text: string): (issue: { input?: unknown }) => string | undefined {
  return ({ input }) => (input === undefined || input === null ? undefined : text);
}

const plainMember = /^[A-Za-z_$][\w$-]*$/;

/** Characters that a path, and one member's name in it, may have: names are the caller's, and may be of 1 MiB. */
const longest = { path: 200, name: 100 } as const;

/** `['users', 0, 'e mail']` as `users[0]["e mail"]`. Names are cut at 100 characters, and a path of more than 200 ends with `…`. */
export function memberPath(path: readonly PropertyKey[]): string {
  let written = '';
  for (const step of path) {
    const next = stepText(step, written === '');
    if (written.length + next.length > longest.path) return `${written}…`;
    written += next;
  }
  return written;
}

function stepText(step: PropertyKey, isFirst: boolean): string {
  if (typeof step === 'number') return `[${String(step)}]`;
  const name = String(step).slice(0, longest.name);
  if (!plainMember.test(name)) return `[${JSON.stringify(name)}]`;
  return isFirst ? name : `.${name}`;
}

function issueAt(path: readonly PropertyKey[], text: string): Issue {
  const member = memberPath(path);
  // By a function: `$` in a member's name is no pattern.
  return { path: member, message: text.replaceAll('<m>', () => member || 'data') };
}

/** A member that the schema does not know, or that may not be free metadata. On `/v1` it is passed over instead. */
export interface UnknownMember {
  readonly path: readonly PropertyKey[];
}

const unknownText = 'Unknown member: <m>.';

/** What `checkMetadata` reports of a reserved name, so that it is treated like a member nobody knows. */
export const reservedMember = { reserved: true } as const;

/** What is wrong with a request. */
export interface Findings {
  /** The first 100. */
  readonly issues: readonly Issue[];
  /** How many there are. */
  readonly total: number;
  /** All of them. */
  readonly unknown: readonly UnknownMember[];
}

/** Gathers findings in the order in which they are added; the same one twice counts once. */
class Gathered implements Findings {
  readonly issues: Issue[] = [];
  readonly unknown: UnknownMember[] = [];
  readonly #seen = new Set<string>();

  get total(): number {
    return this.#seen.size;
  }

  add(path: readonly PropertyKey[], text: string): void {
    const { size } = this.#seen;
    this.#seen.add([text, ...path.map((step) => String(step).slice(0, longest.name))].join('\n'));
    // Only what will be listed is put into words.
    if (this.#seen.size > size && size < maxIssues) this.issues.push(issueAt(path, text));
  }

  addUnknown(path: readonly PropertyKey[]): void {
    this.unknown.push({ path });
    this.add(path, unknownText);
  }
}

/** Splits zod's findings into what is wrong and what is merely unknown; both in the order of the schema. `finish` gives one its message. */
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

/** Findings that hold nothing but members that nobody knows. */
export function unknownMembers(unknown: readonly UnknownMember[]): Findings {
  const gathered = new Gathered();
  for (const { path } of unknown) gathered.addUnknown(path);
  return gathered;
}
