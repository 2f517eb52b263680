import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { Dependencies } from './dependencies.ts';

/** Milliseconds between two signs of life; each also brings the news that the caller has gone. */
const beat = 2_500;

/**
 * Asks the provider of a staged request once, and keeps its answer with the request.
 * May be repeated: every call is counted before it is made, and there are three at most, whatever dies; of a request
 * that has its answer, or whose caller has gone, nothing is done.
 */
export const askProvider =
  ({ orm, keyRing, providerBaseUrls }: Dependencies) =>
  async ({ requestId }: { readonly requestId: string }): Promise<void> => {
    // Loaded with the first call: a worker that is never asked does without the SDK.
    const { answerRequest } = await import('../domain/rewriter/answer-request.ts');
    const beating = setInterval(heartbeat, beat);
    try {
      const later = await answerRequest({ orm, keyRing, providerBaseUrls }, requestId, cancellationSignal());
      if (later === undefined) return;
      throw ApplicationFailure.create({
        message: later.reason,
        type: 'PROVIDER',
        nextRetryDelay: later.wait,
        category: ApplicationFailureCategory.BENIGN,
      });
    } finally {
      clearInterval(beating);
    }
  };
