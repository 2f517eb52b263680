import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { StewardError } from '@steward/client';
import { consecutiveFailures, type CountedQuery } from './consecutive-failures.ts';
import { isDenied, isSignedOut, sessionQuery } from './session.ts';

const minPollMs = 2_000;
const maxBackoffMs = 60_000;

/** Whether a later attempt may succeed: no response, a rate limit, or a server that is not available. */
export const isTransient = (error: unknown): boolean =>
  error instanceof StewardError && [0, 429, 502, 503, 504].includes(error.httpStatus);

/** Returns the delay of a retry. It doubles with each failure from `baseMs` to 60 s; Retry-After is the minimum. */
function backoffMs(baseMs: number, failures: number, error: unknown): number {
  const retryAfterMs = error instanceof StewardError ? (error.retryAfter ?? 0) * 1_000 : 0;
  return Math.max(retryAfterMs, Math.min(baseMs * 2 ** failures, maxBackoffMs));
}

const mayRetry = (failures: number, error: unknown): boolean => failures < 2 && isTransient(error);
const retryDelayMs = (failures: number, error: unknown): number => backoffMs(1_000, failures, error);

/** Repeats a read that is not a query by the rules of queries, until `signal` aborts. */
export async function retried<Result>(read: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await read();
    } catch (error) {
      if (!mayRetry(failures, error)) throw error;
      await new Promise((resolve) => {
        setTimeout(resolve, retryDelayMs(failures, error));
      });
      signal.throwIfAborted();
    }
  }
}

/** The members of a query that decide about its refresh. */
interface Refreshed extends CountedQuery {
  readonly state: CountedQuery['state'] & { readonly error: Error | null };
}

/**
 * Refreshes a query every `baseMs` while the page is visible. Without `baseMs`, only a failed query is repeated. A query
 * that failed for a transient reason is repeated later with each consecutive failure; after any other failure, not at all.
 */
export const refreshEvery =
  (baseMs?: number) =>
  (query: Refreshed): number | false => {
    const { state } = query;
    const failures = consecutiveFailures(query);
    if (state.status === 'error')
      return isTransient(state.error) ? backoffMs(baseMs ?? 5_000, failures, state.error) : false;
    return baseMs === undefined ? false : Math.max(baseMs, minPollMs);
  };

/** Whether a job has ended, so that its status is final. */
export const hasEnded = (job: { readonly completedAt: number | null } | undefined): boolean =>
  job !== undefined && job.completedAt !== null;

/** Shows the sign-in instead of the page when the session has ended. The URL stays. Reads a session that is refused again. */
function onError(error: unknown): void {
  if (isSignedOut(error)) queryClient.setQueryData(sessionQuery.queryKey, null);
  if (isDenied(error)) void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    // The query of the session itself fails with 401 only for a sign-in link, whose error the sign-in shows.
    onError: (error, { queryKey }) => {
      if (queryKey[0] !== 'session') onError(error);
    },
  }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      // Bounds the memory of a tab: data of pages that were left is dropped after this time.
      gcTime: 60_000,
      staleTime: 1_000,
      retry: mayRetry,
      retryDelay: retryDelayMs,
      refetchInterval: refreshEvery(),
      // Without a network, calls fail and show the failure; do not pause them.
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});
