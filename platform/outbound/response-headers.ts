/** Response headers by lower-case name, with one value each. */
export type ResponseHeaders = Readonly<Record<string, string | undefined>>;

/** Keeps the first value of each header: undici returns a header that a server repeats as an array. */
export const firstValues = (
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): ResponseHeaders =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat()[0]]));
