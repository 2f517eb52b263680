import { ActivityCancellationType, patched } from '@temporalio/workflow';
import type { AiProvider } from '../domain/configuration/kinds/api-key.ts';
import { askAiLimits, rewriterQueues, type AskAiInput } from './contract.ts';
import { steps } from './steps.ts';

/**
 * The provider's response decides whether and when the call is retried: the activity sets the delay in each failure.
 * Every other failure (worker, database) is retried after 0.5 s, because a caller waits.
 */
const callsTo = (provider: AiProvider, cancellationType: ActivityCancellationType) =>
  steps(
    {
      taskQueue: rewriterQueues[provider],
      startToCloseTimeout: '40 seconds',
      scheduleToCloseTimeout: askAiLimits.activity,
      heartbeatTimeout: '8 seconds',
      cancellationType,
      retry: { initialInterval: '500 milliseconds', maximumInterval: '5 seconds' },
    },
    { askProvider: 'Call the AI provider' },
  );

/**
 * Calls a provider until it responds. The response is stored with the request: neither appears in the history. After a
 * cancellation it ends when no worker makes the call any more, so that the call counts until then.
 */
export async function askAi({ requestId, provider }: AskAiInput): Promise<void> {
  const { TRY_CANCEL, WAIT_CANCELLATION_COMPLETED } = ActivityCancellationType;
  const cancellationType = patched('awaited-end') ? WAIT_CANCELLATION_COMPLETED : TRY_CANCEL;
  await callsTo(provider, cancellationType).askProvider({ requestId });
}
