/**
 * Replaces characters that a terminal obeys instead of showing: control characters, line and paragraph separators, and
 * marks of text direction. Customers choose names.
 */
export const visibleText = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, '\u{fffd}');

/**
 * Writes the same characters as `\uXXXX`, except line breaks. JSON keeps its value. A `\r` at the end stays, because the
 * next part of a stream may begin with its `\n`.
 */
export const escapedText = (text: string): string =>
  text.replaceAll(
    /(?!\r?\n|\r$)[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
