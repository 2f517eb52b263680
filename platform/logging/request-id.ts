const storable = /^[A-Za-z0-9_.:-]{1,64}$/;

/**
 * Returns a request id that may be stored for longer than a log line, otherwise null. Callers choose these ids, and
 * another could contain an address of a person.
 */
export const storableRequestId = (requestId: string): string | null =>
  storable.test(requestId) ? requestId : null;
