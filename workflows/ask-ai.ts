import type { AiProvider } from '../domain/configuration/kinds/api-key.ts';
import { askAiLimits, rewriterQueues, type AskAiInput } from './contract.ts';
import { steps } from './steps.ts';

/**
 * The provider's response decides whether and when the call is retried: the activity sets the delay in each failure.
 * Every other failure (worker, database) is retried after 0.5 s, because a caller waits. A call may use the whole
 * time of its request, to store a response that arrived while the database was unavailable. Missing heartbeats reveal
 * a crashed worker.
 */
const callsTo = (provider: AiProvider) =>
  steps(
    {
      taskQueue: rewriterQueues[provider],
      startToCloseTimeout: askAiLimits.activity,
      scheduleToCloseTimeout: askAiLimits.activity,
      heartbeatTimeout: '8 seconds',
      retry: { initialInterval: '500 milliseconds', maximumInterval: '5 seconds' },
    },
    { askProvider: 'Call the AI provider' },
  );

const queues = { openai: callsTo('openai'), anthropic: callsTo('anthropic'), gemini: callsTo('gemini') };

/** Calls a provider until it responds. The response is stored with the request: neither appears in the history. */
export async function askAi({ requestId, provider }: AskAiInput): Promise<void> {
  await queues[provider].askProvider({ requestId });
}
