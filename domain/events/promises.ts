/** Max milliseconds for which dispatchers and delivery turns promise to poll. */
const maxPromiseMs = 1_000;

/**
 * Returns the milliseconds that are left of a stored promise to poll; 0 for more than any promise, which remain after
 * PostgreSQL's clock stepped back.
 */
export const promisedMs = (storedMs: number): number => (storedMs > maxPromiseMs ? 0 : storedMs);
