/** The search of a URL, which anyone may write: its readers omit invalid values. */

export type Search = Readonly<Record<string, unknown>>;

/** Max length of a text in a URL. */
const maxLength = 2_000;

export function text(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
  const found = String(value);
  return found === '' || found.length > maxLength ? undefined : found;
}

export function oneOf<Value extends string>(value: unknown, values: readonly Value[]): Value | undefined {
  return values.find((one) => one === value);
}

/** A time in milliseconds since the epoch. */
export function time(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** The search of a list. */
export interface Paged {
  readonly pageToken?: string | undefined;
}

export const paged = (search: Search): Paged => ({ pageToken: text(search['pageToken']) });
