import { parseSearchWith } from '@tanstack/react-router';

/** The search of a URL, which anyone may write: its readers omit invalid values. */

export type Search = Readonly<Record<string, unknown>>;

/**
 * Parses the search of a URL. The console's links put a text that is JSON, such as the id `12`, in quotes. Everything else
 * stays as typed: as a number of JSON, a long id would become another one.
 */
export const parseSearch = parseSearchWith((value) => {
  const parsed: unknown = JSON.parse(value);
  if (typeof parsed !== 'string') throw new TypeError('Not a text in quotes.');
  return parsed;
});

/** Max length of a text in a URL. */
const maxTextLength = 2_000;
/** A page token of the API is shorter. */
const maxTokenLength = 8_000;

export const text = (value: unknown): string | undefined => textWithin(maxTextLength, value);

function textWithin(maxLength: number, value: unknown): string | undefined {
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

export const paged = (search: Search): Paged => ({
  pageToken: textWithin(maxTokenLength, search['pageToken']),
});
