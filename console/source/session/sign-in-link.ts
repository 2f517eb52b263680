/** The fragment of a sign-in link: `/console#code=…`. A browser never sends a fragment, so no server logs it. */
const prefix = '#code=';

/**
 * Returns the code of the sign-in link that was opened, once, and removes it from the URL and the history. A code has only
 * characters of base64url, so it is not decoded: decoding a damaged link could fail.
 */
export function takeCode(): string | undefined {
  if (!location.hash.startsWith(prefix)) return undefined;
  const code = location.hash.slice(prefix.length);
  history.replaceState(history.state, '', location.pathname + location.search);
  return code;
}
