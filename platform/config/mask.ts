import type { Variable } from './variable.ts';

/** A variable's text in quotation marks, with its secrets masked. */
export function masked(variable: Pick<Variable<unknown>, 'secret'>, text: string): string {
  const hidden = `"***" (${String(text.length)} characters, not shown)`;
  // Someone has set the content of a private key instead of its path.
  if (text.includes('-----BEGIN')) return hidden;
  if (variable.secret === undefined) return JSON.stringify(text);
  if (variable.secret === 'address' && URL.canParse(text)) {
    const address = new URL(text);
    // A password that is not percent-encoded may end the host, and is then part of the path, the query or the fragment.
    if (`${address.pathname}${address.search}${address.hash}`.includes('@')) return hidden;
    if (address.password !== '') address.password = '***';
    // libpq also accepts a password in the query string.
    if (address.searchParams.has('password')) address.searchParams.set('password', '***');
    return JSON.stringify(address.href);
  }
  return hidden;
}
