import type { ErrorDetails } from '../../../domain/errors.ts';
import type { Problem } from './problem.ts';

/** Bytes of a failure's body. */
const maxBytes = 65_536;

/** Bytes that each list or map of the details may have once a body would be too large. Two of them fit, beside the message. */
const maxPartBytes = 24_576;

/** Characters of a message that is cut: six bytes each at most, as JSON. */
const maxMessage = 1_000;

/**
 * The failure envelope; `details` is additive and always names the request. At most 64 KiB: beyond that
 * `details` keep the first entries of each list and map that fit, and their number in `<name>Total`.
 */
export function problemBody({ status, message, details }: Problem, requestId: string): string {
  const body = JSON.stringify({ error: { status, message, details: { ...details, requestId } } });
  if (Buffer.byteLength(body) <= maxBytes) return body;
  const cut = message.length > maxMessage ? `${message.slice(0, maxMessage)}…` : message;
  return JSON.stringify({ error: { status, message: cut, details: { ...cutDetails(details), requestId } } });
}

function cutDetails(details: ErrorDetails): ErrorDetails {
  const { issuesTotal, ...others } = details;
  const cut = Object.entries(others).flatMap(([name, value]): (readonly [string, unknown])[] => {
    if (typeof value !== 'object' || value === null || !isLarge(value)) return [[name, value]];
    const kept = Array.isArray(value) ? fitting(value) : Object.fromEntries(fitting(Object.entries(value)));
    return [
      [name, kept],
      [`${name}Total`, Object.keys(value).length],
    ];
  });
  return { ...Object.fromEntries(cut), ...(issuesTotal !== undefined && { issuesTotal }) };
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const isLarge = (value: object): boolean => bytesOf(value) > maxPartBytes;

/** The first entries, as many as fit. */
function fitting<Entry>(entries: readonly Entry[]): Entry[] {
  let bytes = 0;
  const end = entries.findIndex((entry) => (bytes += bytesOf(entry) + 1) > maxPartBytes);
  return entries.slice(0, end === -1 ? entries.length : end);
}
