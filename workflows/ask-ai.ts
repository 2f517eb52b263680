import type { AiProvider } from '../domain/configuration/kinds/api-key.ts';
import { askAiLimits, rewriterQueues, type AskAiInput } from './contract.ts';
import { steps } from './steps.ts';

/**
 * A provider's answer decides whether and when it is asked again: the activity says so with each failure. What else
 * fails (a worker, the database) is tried again at once, as there is someone waiting.
 */
const asking = (provider: AiProvider) =>
  steps(
    {
      taskQueue: rewriterQueues[provider],
      startToCloseTimeout: '40 seconds',
      scheduleToCloseTimeout: askAiLimits.activity,
      heartbeatTimeout: '8 seconds',
      retry: { initialInterval: '500 milliseconds', maximumInterval: '5 seconds' },
    },
    { askProvider: 'Ask the provider' },
  );

const queues = { openai: asking('openai'), anthropic: asking('anthropic'), gemini: asking('gemini') };

/** Asks a provider until there is an answer, which is kept with the request; nothing of either is seen here. */
export async function askAi({ requestId, provider }: AskAiInput): Promise<void> {
  await queues[provider].askProvider({ requestId });
}
