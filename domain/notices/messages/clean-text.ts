/** Control characters, line separators, and characters that change the direction of the text after them. */
const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu;

/** The same characters except tabs and line feeds. */
const unsafeInBody = /(?![\t\n])[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/**
 * Returns a text for one line of a message, such as a header: without control characters, at most `max` code points.
 * Separates `=?`, because readers decode the text after it in a header (RFC 2047).
 */
export const oneLine = (text: string, max: number): string =>
  cut(text.replace(unsafe, ' ').replaceAll('=?', '= ?').trim(), max).trimEnd();

/** Returns a text of several lines, at most `max` code points. */
export const bodyText = (text: string, max: number): string =>
  cut(text.replaceAll('\r\n', '\n').replaceAll('\r', '\n').replace(unsafeInBody, '').trim(), max).trimEnd();

/** Cuts a text to `max` code points. A lone surrogate becomes U+FFFD. */
function cut(text: string, max: number): string {
  const whole = text.toWellFormed();
  if (whole.length <= max) return whole;
  let end = 0;
  for (let count = 0; count < max && end < whole.length; count += 1)
    end += (whole.codePointAt(end) ?? 0) > 0xff_ff ? 2 : 1;
  return whole.slice(0, end);
}

/** The text of a member that may have another type; then it is empty. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Limits in code points. */
export const maxLengths = {
  name: 64,
  documentName: 80,
  subject: 150,
  digestText: 500,
  text: 20_000,
} as const;

/** Returns the name of an actor as a sender; empty when it looks like an address, because readers would trust it. */
export function senderName(name: string): string {
  const line = oneLine(name, maxLengths.name);
  // Converts characters that look like these to their canonical form.
  const plain = line.normalize('NFKC');
  return plain.includes('@') || plain.includes('://') ? '' : line;
}
