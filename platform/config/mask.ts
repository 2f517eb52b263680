import type { Variable } from './variables.ts';

/** A variable's text as it may be printed, in quotation marks. */
export function masked(variable: Pick<Variable<unknown>, 'secret'>, text: string): string {
  if (variable.secret === undefined) return JSON.stringify(text);
  if (variable.secret === 'address' && URL.canParse(text)) {
    const address = new URL(text);
    if (address.password !== '') address.password = '***';
    // A password may also stand in the query, as libpq allows.
    if (address.searchParams.has('password')) address.searchParams.set('password', '***');
    return JSON.stringify(address.href);
  }
  return `"***" (${text.length} characters, not shown)`;
}
