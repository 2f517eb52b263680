import { isJsonObject, type JsonMembers } from '../../platform/json/json-members.ts';
import { hasLongHost, parseWebUrl } from '../../platform/network/parse-web-url.ts';

/** Paths of members that hold secrets. */
export type SecretPaths = readonly (readonly string[])[];

/** The values of a target before and after an act; null where the target did not exist. */
export interface AuditedValues {
  readonly before: object | null;
  readonly after: object | null;
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Returns the members that differ, or null when none does. When one value is null, the other is returned whole. */
export function differences({ before, after }: AuditedValues): AuditedValues | null {
  if (before === null || after === null) return { before, after };
  if (same(before, after)) return null;
  return { before: differing(before, after), after: differing(after, before) };
}

/** The members of `value` that `other` lacks or has with another value. */
function differing(value: object, other: object): object {
  const others = other as JsonMembers;
  const entries = Object.entries(value as JsonMembers)
    .filter(([name, member]) => !same(member, others[name]))
    .map(([name, member]): [string, unknown] => {
      const compared = others[name];
      return [name, isJsonObject(member) && isJsonObject(compared) ? differing(member, compared) : member];
    });
  return Object.fromEntries(entries);
}

/** Replaces the texts of secrets by `***`, and other texts by the result of `write`. Keeps the structure. */
export function withoutSecrets(
  value: unknown,
  secrets: SecretPaths,
  write: (text: string) => string,
): unknown {
  if (secrets.some((path) => path.length === 0)) return eachText(value, (text) => (text === '' ? '' : '***'));
  if (!isJsonObject(value)) return eachText(value, write);
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => {
    const below = secrets.filter(([first]) => first === name).map((path) => path.slice(1));
    return [name, withoutSecrets(member, below, write)];
  });
  return Object.fromEntries(entries);
}

function eachText(value: unknown, write: (text: string) => string): unknown {
  if (typeof value === 'string') return write(value);
  if (Array.isArray(value)) return value.map((item) => eachText(item, write));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, eachText(member, write)]));
}

/** The texts at any depth. */
export function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

/** Whether a text may name a person by an e-mail address. */
export const namesPerson = (text: string): boolean => text.includes('@') && !isWebAddress(text);

function isWebAddress(text: string): boolean {
  const start = text.slice(0, 8).toLowerCase();
  return start === 'https://' || start.startsWith('http://');
}

/**
 * Removes credentials, query and fragment of a URL, which may contain secrets, and all of a URL with a long host. Returns
 * other texts unchanged.
 */
export function withoutQuery(text: string): string {
  if (!isWebAddress(text)) return text;
  if (hasLongHost(text)) return 'https://…';
  const url = parseWebUrl(text);
  if (url === null) return text;
  return `${url.origin}${url.pathname}${url.search === '' && url.hash === '' ? '' : '?…'}`;
}
