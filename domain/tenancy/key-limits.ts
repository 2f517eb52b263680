/** Limits of an API key that are read with the credentials of every request; null: the deployment's. */
export interface CallerLimits {
  readonly requestsPerSecond: number | null;
  /** Requests that may arrive at once before the rate applies. */
  readonly burst: number | null;
  /** Concurrent AI calls. */
  readonly aiConcurrency: number | null;
}

/** All limits of an API key. */
export interface KeyLimits extends CallerLimits {
  /** Webhook endpoints; null: `defaultWebhookEndpoints`. */
  readonly webhookEndpoints: number | null;
}

/** Limits of the deployment apply. */
export const deploymentLimits: CallerLimits = { requestsPerSecond: null, burst: null, aiConcurrency: null };

/** Webhook endpoints of a key without a limit of its own. */
export const defaultWebhookEndpoints = 100;

/** The highest limits that a key may have. */
export const maxKeyLimits = {
  requestsPerSecond: 10_000_000,
  burst: 10_000_000,
  aiConcurrency: 10_000,
  webhookEndpoints: 10_000,
} as const;
