import type { Variable } from './variable.ts';

/** A variable's text in quotation marks, with its secrets masked. */
export function masked(variable: Pick<Variable<unknown>, 'secret'>, text: string): string {
  if (variable.secret === undefined) return JSON.stringify(text);
  if (variable.secret === 'address' && URL.canParse(text)) {
    const address = new URL(text);
    if (address.password !== '') address.password = '***';
    // libpq also accepts a password in the query string.
    if (address.searchParams.has('password')) address.searchParams.set('password', '***');
    return JSON.stringify(address.href);
  }
  return `"***" (${text.length} characters, not shown)`;
}
