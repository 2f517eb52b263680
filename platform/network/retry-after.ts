/**
 * Returns the milliseconds of a `Retry-After` header, in seconds or as a date (RFC 9110, 10.2.3); undefined without a time
 * in the future. Repeated headers may be joined by commas. The first value counts, and a date contains a comma itself.
 */
export function retryAfterMsOf(header: string | null | undefined, now: number): number | undefined {
  const [first = '', ...others] = header?.split(',') ?? [];
  const waitMs = /^\d{1,10}$/.test(first.trim())
    ? Number(first) * 1_000
    : Date.parse([first, ...others.slice(0, 1)].join(',')) - now;
  return waitMs > 0 ? waitMs : undefined;
}
