/** Limits of an API key that are read with the credentials of every request. Null: the deployment's limit. */
export interface CallerLimits {
  readonly requestsPerSecond: number | null;
  /** Max requests at once before the rate applies. */
  readonly burst: number | null;
  /** Max concurrent AI calls. */
  readonly aiConcurrency: number | null;
}

/** All limits of an API key. */
export interface KeyLimits extends CallerLimits {
  /** Max webhook endpoints; null: `defaultWebhookEndpoints`. */
  readonly webhookEndpoints: number | null;
}

/** The limits of a key without its own. */
export const deploymentLimits: CallerLimits = { requestsPerSecond: null, burst: null, aiConcurrency: null };

/** Max webhook endpoints of a key without its own limit. */
export const defaultWebhookEndpoints = 100;

/** The highest limits that a key may have. */
export const maxKeyLimits = {
  requestsPerSecond: 10_000_000,
  burst: 10_000_000,
  aiConcurrency: 10_000,
  webhookEndpoints: 10_000,
} as const;
