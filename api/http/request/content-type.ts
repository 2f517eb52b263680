const jsonName = /^application\/(?:[\w.+-]+\+)?json$/;
const utf8 = /^charset\s*=\s*"?(?:utf-?8|us-ascii)"?$/;

/**
 * Returns whether a `Content-Type` is JSON in UTF-8: `application/json` or `application/…+json`. Parameters other than
 * the charset have no meaning for JSON. Linear.
 */
export function isJsonType(type: string): boolean {
  if (type === 'application/json') return true;
  const [name = '', ...parameters] = type
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  return jsonName.test(name) && parameters.every((one) => !one.startsWith('charset') || utf8.test(one));
}
