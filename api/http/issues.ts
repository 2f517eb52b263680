import { z } from 'zod';
import type { Issue } from '../../domain/errors.ts';

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
export function says(text: string): (issue: { input?: unknown }) => string | undefined {
  return ({ input }) => (input === undefined || input === null ? undefined : text);
}

const plainMember = /^[A-Za-z_$][\w$-]*$/;

/** `['users', 0, 'e mail']` as `users[0]["e mail"]`. */
export function memberPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((written, step) => {
    if (typeof step === 'number') return `${written}[${String(step)}]`;
    const name = String(step);
    if (!plainMember.test(name)) return `${written}[${JSON.stringify(name.slice(0, 100))}]`;
    return written === '' ? name : `${written}.${name}`;
  }, '');
}

function issueAt(path: readonly PropertyKey[], text: string): Issue {
  const member = memberPath(path);
  const dot = member === '' || member.startsWith('[') ? '' : '.';
  return { path: `data${dot}${member}`, message: text.replaceAll('<m>', member === '' ? 'data' : member) };
}

/** A member that the schema does not know, or that may not be free metadata. On `/v1` it is passed over instead. */
export interface UnknownMember {
  readonly path: readonly PropertyKey[];
}

/** What `checkMetadata` reports of a reserved name, so that it is treated like a member nobody knows. */
export const reservedMember = { reserved: true } as const;

export interface Findings {
  readonly issues: Issue[];
  readonly unknown: UnknownMember[];
}

/** Splits zod's findings into what is wrong and what is merely unknown; both in the order of the schema. */
export function readIssues(error: z.ZodError): Findings {
  const issues: Issue[] = [];
  const unknown: UnknownMember[] = [];
  const seen = new Set<string>();
  const add = (path: readonly PropertyKey[], text: string): void => {
    const issue = issueAt(path, text);
    const key = `${issue.path}\n${issue.message}`;
    if (seen.has(key)) return;
    seen.add(key);
    issues.push(issue);
  };
  for (const issue of error.issues) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) {
        unknown.push({ path: [...issue.path, key] });
        add([...issue.path, key], 'Unknown member: <m>.');
      }
    } else {
      if (issue.code === 'custom' && issue.params?.['reserved'] === true) unknown.push({ path: issue.path });
      add(issue.path, issue.message);
    }
  }
  return { issues, unknown };
}

/** Findings that hold nothing but members that nobody knows. */
export function unknownMembers(unknown: readonly UnknownMember[]): Findings {
  return { unknown: [...unknown], issues: unknown.map(({ path }) => issueAt(path, 'Unknown member: <m>.')) };
}
