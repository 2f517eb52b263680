/** Max bytes of a customer's id in UTF-8. */
export const maxIdBytes = 1_000;

/** Whether a text has at most the bytes of an id. A code unit takes at most three. */
export const fitsId = (text: string): boolean =>
  text.length * 3 <= maxIdBytes || Buffer.byteLength(text) <= maxIdBytes;
