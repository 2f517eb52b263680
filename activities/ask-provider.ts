import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { RetryLater } from '../domain/rewriter/respond-to-request.ts';
import type { Dependencies } from './dependencies.ts';

/** Milliseconds between two signs of life; each also brings the news that the caller has gone. */
const beat = 2_500;

/**
 * Asks the provider of a staged request once, and keeps its answer with the request.
 * May be repeated: every call is counted before it is made, and there are three at most, whatever dies; of a request
 * that has its answer, or whose caller has gone, nothing is done.
 */
export const askProvider =
  ({ orm, keyRing, logger, providerBaseUrls }: Dependencies) =>
  async ({ requestId }: { readonly requestId: string }): Promise<void> => {
    // Loaded with the first call: a worker that is never asked does without the SDK.
    const { respondToRequest } = await import('../domain/rewriter/respond-to-request.ts');
    const beating = setInterval(heartbeat, beat);
    try {
      const found = await respondToRequest(
        { orm, keyRing, providerBaseUrls },
        requestId,
        cancellationSignal(),
      );
      if (found === undefined) return;
      if ('wait' in found) throw later(found);
      if (!found.success) logger.info({ requestId, reason: found.error }, 'AI call failed');
    } finally {
      clearInterval(beating);
    }
  };

const later = ({ reason, wait }: RetryLater): ApplicationFailure =>
  ApplicationFailure.create({
    message: reason,
    type: 'PROVIDER',
    nextRetryDelay: wait,
    category: ApplicationFailureCategory.BENIGN,
  });
