import { cancellationSignal, heartbeat } from '@temporalio/activity';
import type { RetryLater } from '../domain/rewriter/respond-to-request.ts';
import type { RewriterResponse } from '../domain/rewriter/rewriter-response.ts';
import type { Dependencies } from './dependencies.ts';
import type { AiCallOutcome } from './effect-metrics.ts';
import { RepeatedCall } from './translate-errors.ts';

/** Milliseconds between two heartbeats. The response to a heartbeat also reports that the caller has disconnected. */
const heartbeatDelayMs = 2_500;

/**
 * Calls the provider of a staged request once, and stores the response with the request. During an outage of the database,
 * it waits for as long as the request has time.
 * May be repeated: each call is counted before it is made, so that crashes do not exceed the max of three. Does nothing
 * for a request that has its response or whose caller has disconnected.
 */
export const askProvider =
  ({ orm, keyRing, logger, metrics, providerBaseUrls }: Dependencies) =>
  async ({ requestId }: { readonly requestId: string }): Promise<void> => {
    // Imported with the first call: a worker without AI calls does not load the SDK.
    const { respondToRequest } = await import('../domain/rewriter/respond-to-request.ts');
    const beating = setInterval(heartbeat, heartbeatDelayMs);
    try {
      const found = await respondToRequest(
        { orm, keyRing, providerBaseUrls },
        requestId,
        cancellationSignal(),
      );
      if (found === undefined) return;
      metrics.calledAi(outcomeOf(found));
      if ('delayMs' in found) throw new RepeatedCall(found.reason, found.delayMs);
      if (!found.success) logger.info({ callId: requestId, reason: found.error }, 'AI call failed');
    } finally {
      clearInterval(beating);
    }
  };

function outcomeOf(found: RetryLater | RewriterResponse): AiCallOutcome {
  if ('delayMs' in found) return 'retried';
  if (found.success) return 'succeeded';
  return found.code === 'no-key' ? 'no_key' : 'failed';
}
