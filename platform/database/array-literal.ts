/**
 * A list as PostgreSQL reads it: a literal. pg would make the same one, but of 10 MB of JSON with many quotes in 2.5 s,
 * in which nobody else is served; this takes 0.15 s.
 */
export function arrayLiteral(list: readonly unknown[]): string {
  let literal = '{';
  for (const item of list) {
    if (literal.length > 1) literal += ',';
    literal += Array.isArray(item) ? arrayLiteral(item) : element(item);
  }
  return `${literal}}`;
}

function element(item: unknown): string {
  if (item === null || item === undefined) return 'NULL';
  if (Buffer.isBuffer(item)) return `"\\\\x${item.toString('hex')}"`;
  if (typeof item === 'number') return String(item);
  const text = textOf(item);
  const quotable = text.includes('"') || text.includes('\\');
  if (!quotable) return `"${text}"`;
  // The same text, made in a twentieth of the time, unless JSON has an escape of its own for what the text holds.
  if (text.length > long && !controlCharacter.test(text) && text.isWellFormed()) return JSON.stringify(text);
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

function textOf(item: unknown): string {
  if (typeof item === 'string') return item;
  if (item instanceof Date) return item.toISOString();
  return typeof item === 'bigint' ? item.toString() : JSON.stringify(item);
}

/** Characters of a text for which the faster way pays. */
const long = 256;
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const controlCharacter = /[\u0000-\u001f]/;
