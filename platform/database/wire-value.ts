/**
 * A parameter as PostgreSQL reads it: text, or the bytes of a `bytea`. Lists become array literals, other objects JSON.
 */
export function wireValue(value: unknown): string | Buffer | null {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return null;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value);
  if (Buffer.isBuffer(value)) return value;
  if (Array.isArray(value)) return arrayLiteral(value);
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value instanceof Date ? value.toISOString() : JSON.stringify(value);
}

function arrayLiteral(list: readonly unknown[]): string {
  let literal = '{';
  for (const item of list) {
    if (literal.length > 1) literal += ',';
    literal += Array.isArray(item) ? arrayLiteral(item) : element(wireValue(item));
  }
  return `${literal}}`;
}

function element(value: string | Buffer | null): string {
  if (value === null) return 'NULL';
  if (typeof value !== 'string') return `"\\\\x${value.toString('hex')}"`;
  const quotable = value.includes('"') || value.includes('\\');
  return quotable ? `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"` : `"${value}"`;
}
