/** The members of a query that count its fetches. The counts only grow. */
export interface CountedQuery {
  readonly state: { readonly status: string; readonly errorUpdateCount: number };
}

/** How many fetches of a query had failed when it was last seen succeeded. */
const failuresBefore = new WeakMap<CountedQuery, number>();

/** Returns how many fetches of a query have failed since the last success. Must be called after successes, too. */
export function consecutiveFailures(query: CountedQuery): number {
  const { status, errorUpdateCount } = query.state;
  // A query without data is pending also while it is read again after failures.
  if (status === 'success' || errorUpdateCount === 0) failuresBefore.set(query, errorUpdateCount);
  return errorUpdateCount - (failuresBefore.get(query) ?? 0);
}
