/** Parses the text of a variable; returns `undefined` for a text that does not match `may`. */
export interface Parser<T> {
  /** Completes the sentence "it may be …". */
  readonly may: string;
  readonly parse: (text: string) => T | undefined;
}

/** Whether each `%` of a part of a URL begins an encoded character of UTF-8. */
export function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

/** The items of a comma-separated list, trimmed, without empty ones. */
export function items(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
