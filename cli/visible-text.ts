/**
 * Replaces characters that a terminal obeys instead of showing: control characters, line and paragraph separators, and
 * marks of text direction. Customers choose names.
 */
export const visibleText = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, '\u{fffd}');
