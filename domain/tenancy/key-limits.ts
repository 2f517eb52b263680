/** Limits of an API key; null: the deployment's. Read with the credentials of every request. */
export interface KeyLimits {
  readonly requestsPerSecond: number | null;
  /** Requests that may arrive at once before the rate applies. */
  readonly burst: number | null;
  /** Concurrent AI calls in one API process. */
  readonly aiConcurrency: number | null;
}

/** Limits of the deployment apply. */
export const deploymentLimits: KeyLimits = { requestsPerSecond: null, burst: null, aiConcurrency: null };

/** The highest limits that a key may have, which are those of the deployment's settings. */
export const maxKeyLimits = {
  requestsPerSecond: 10_000_000,
  burst: 10_000_000,
  aiConcurrency: 10_000,
} as const;
