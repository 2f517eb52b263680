import { invalidArgument, invalidMember, type Issue } from '../../domain/errors.ts';
import { messages } from '../../domain/messages.ts';
import { memberPath } from './issues.ts';

/** Deepest nesting of a body, and most values in it, counted over all containers. */
export const jsonLimits = { depth: 64, values: 100_000 } as const;

const bytes = {
  quote: 0x22,
  backslash: 0x5c,
  comma: 0x2c,
  openList: 0x5b,
  closeList: 0x5d,
  openMap: 0x7b,
  closeMap: 0x7d,
};

/** Bytes behind the quote that closes the string which starts before `start`. */
function skipString(body: Buffer, start: number): number {
  let index = start;
  for (; index < body.length; index += 1) {
    const byte = body[index];
    if (byte === bytes.backslash) index += 1;
    else if (byte === bytes.quote) break;
  }
  return index;
}

/** Refuses, before anything is built from it, a body that would be too deep or too large as values. */
function refuseBombs(body: Buffer): void {
  let depth = 0;
  let values = 1;
  let justOpened = false;
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index] ?? 0;
    if (byte > 0x20) {
      const opened = byte === bytes.openList || byte === bytes.openMap;
      const closed = byte === bytes.closeList || byte === bytes.closeMap;
      if (byte === bytes.comma || (justOpened && !closed)) values += 1;
      if (byte === bytes.quote) index = skipString(body, index + 1);
      if (opened && (depth += 1) > jsonLimits.depth) throw tooDeep();
      if (closed) depth -= 1;
      if (values > jsonLimits.values) throw tooMany();
      justOpened = opened;
    }
  }
}

const whole = (message: string): Error => invalidMember('', message);
const tooDeep = (): Error =>
  whole(`Request body must not be nested deeper than ${String(jsonLimits.depth)} levels.`);
const tooMany = (): Error => whole('Request body must not hold more than 100,000 values.');

/** Escapes that may stand for U+0000 or half a surrogate pair, and numbers that may be beyond all numbers. */
const suspiciousEscape = /\\u(?:0000|[dD][89a-fA-F])/;
const suspiciousNumber = /[eE]\+?\d{3}|\d{300}/;

/** `includes` looks for the rare cheaply; only where it finds any does a pattern look closer. */
function isSuspicious(text: string): boolean {
  return (text.includes('\\u') && suspiciousEscape.test(text)) || suspiciousNumber.test(text);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The parsed body. Lone surrogates are replaced by U+FFFD; numbers that are not finite and U+0000 are refused.
 * `__proto__` is a member like any other: JSON.parse makes it an own one.
 */
export function parseJson(body: Buffer): unknown {
  refuseBombs(body);
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(body);
    value = JSON.parse(text);
  } catch {
    throw whole(messages.bodyNotJson);
  }
  return isSuspicious(text) ? mend(value) : value;
}

/** Depth is bounded by `refuseBombs`, so recursion is too. */
function mend(value: unknown): unknown {
  const issues: Issue[] = [];
  const report = (path: PropertyKey[], text: string): void => {
    if (issues.length < 100)
      issues.push({
        path: memberPath(path),
        message: `${memberPath(path.slice(1)) || 'Request body'} ${text}`,
      });
  };
  const walk = (part: unknown, path: PropertyKey[]): unknown => {
    if (typeof part === 'number' && !Number.isFinite(part)) report(path, 'must be a finite number.');
    if (typeof part === 'string') {
      if (part.includes('\0')) report(path, 'must not contain U+0000.');
      return part.toWellFormed();
    }
    if (Array.isArray(part)) return part.map((item, index) => walk(item, [...path, index]));
    if (typeof part !== 'object' || part === null) return part;
    // fromEntries defines members, so that `__proto__` stays one.
    return Object.fromEntries(
      Object.entries(part).map(([name, member]) => {
        if (name.includes('\0')) report(path, 'must not have a member whose name contains U+0000.');
        return [name.toWellFormed(), walk(member, [...path, name])];
      }),
    );
  };
  const mended = walk(value, []);
  const [first, ...others] = issues;
  if (first !== undefined) throw invalidArgument([first, ...others]);
  return mended;
}

const blanks = new Set([0x09, 0x0a, 0x0d, 0x20]);

/** `{data: {…}}`; an absent or empty body is `{data: {}}`. Members beside `data` are passed over. */
export function requestData(body: Buffer): Record<string, unknown> {
  if (body.every((byte) => blanks.has(byte))) return {};
  const envelope = parseJson(body);
  if (typeof envelope !== 'object' || envelope === null || Array.isArray(envelope))
    throw whole(messages.bodyNotEnvelope);
  if (Object.keys(envelope).length === 0) return {};
  const data: unknown = Object.hasOwn(envelope, 'data') ? (envelope as { data: unknown }).data : undefined;
  if (typeof data !== 'object' || data === null || Array.isArray(data)) throw whole(messages.bodyNotEnvelope);
  return data as Record<string, unknown>;
}
