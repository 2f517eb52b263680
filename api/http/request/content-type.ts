const jsonName = /^application\/(?:[\w.+-]+\+)?json$/;
const utf8 = /^charset\s*=\s*"?utf-?8"?$/;

/** Returns whether a `Content-Type` is JSON in UTF-8: `application/json` or `application/…+json`, optionally with that charset. Linear. */
export function isJsonType(type: string): boolean {
  if (type === 'application/json') return true;
  const [name = '', ...parameters] = type
    .toLowerCase()
    .split(';', maxParts)
    .map((part) => part.trim());
  if (!jsonName.test(name)) return false;
  if (parameters.at(-1) === '') parameters.pop();
  const [charset, another] = parameters;
  return another === undefined && (charset === undefined || utf8.test(charset));
}

/** The name, its charset, an empty part after the last semicolon, and one more to detect surplus parameters. */
const maxParts = 4;
