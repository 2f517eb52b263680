import { z } from 'zod';
import type { AttemptOutcome } from '../../domain/webhooks/delivery/send.ts';
import {
  prepareTest,
  recordTest,
  sendTest,
  type PreparedTest,
} from '../../domain/webhooks/messages/test-message.ts';
import type { WebhookAttempt } from '../../domain/webhooks/provider.ts';
import { requireAdvancedWebhooks } from '../../domain/webhooks/require-enabled.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { outsideEndpoint } from '../http/outside-endpoint.ts';
import { attemptResponse } from './attempt.ts';
import { endpointErrors, requireApplication } from './act-on-endpoints.ts';
import { withinTests } from './within-tests.ts';
import { endpointId, eventType } from './webhook-endpoint.ts';

/** The attempt as the provider reports it, or the outcome of Steward's own attempt, not yet recorded. */
type Tested =
  { readonly attempt: WebhookAttempt } | { readonly test: PreparedTest; readonly outcome: AttemptOutcome };

type Send = (signal: AbortSignal) => Promise<Tested>;

/** Milliseconds: at most 15 seconds for the attempt, and time for a provider to report it. */
const limitMs = 17_000;

/** The caller waits for this attempt, so the API logs the error and returns INTERNAL. */
const onUnexpectedError = (error: unknown): never => {
  throw error;
};

export const testEndpoint = outsideEndpoint({
  paths: ['/v2/workspace/advancedwebhook/endpoints/test'],
  credentials: 'apiKey',
  audit: { action: 'endpoint.test', target: ({ data }) => data.endpointId },
  summary: 'Sends one signed message to a webhook endpoint and returns its attempt.',
  description:
    'Ignores `filterTypes`. Waits for the response of the endpoint, max 15 seconds. A failed attempt is ' +
    'still a successful call and is not retried. An API key runs up to 10 tests at a time, else the call ' +
    'fails with `RESOURCE_EXHAUSTED`. An unknown endpoint, or one that is deleted meanwhile, fails with ' +
    '`NOT_FOUND`, a disabled one with `FAILED_PRECONDITION`, as do calls while advanced webhooks are off. The ' +
    'audit log records the call.',
  data: z.strictObject({
    endpointId,
    eventType: eventType
      .default('webhook.test')
      .describe('Type of the event to send. A predefined type sends its example.'),
  }),
  response: dataResponse(
    z.strictObject({
      messageId: z.string().describe('Id of the message.'),
      attempt: attemptResponse.describe('Outcome of the attempt.'),
    }),
  ),
  errors: [...endpointErrors, 'RESOURCE_EXHAUSTED', 'DEADLINE_EXCEEDED'],
  example: { endpointId: 'ep_0123456789abcdefghijABCDEFGHIJ01' },
  outside: {
    limitMs,
    async prepare({ data, tenant }, work): Promise<Send> {
      const { em, keyRing, webhooks, outbound, concurrentCalls } = work;
      await requireAdvancedWebhooks(em, tenant);
      if (webhooks.name !== 'embedded') {
        const request = { ...data, applicationId: await requireApplication(em, tenant, webhooks) };
        return async (signal) =>
          withinTests(concurrentCalls, tenant.id, async () => ({
            attempt: await webhooks.test(request, signal),
          }));
      }
      const endpoint = { tenantId: tenant.id, endpointId: data.endpointId };
      const test = await prepareTest(em, keyRing, endpoint, data.eventType);
      const senders = { outbound, webhooks, onUnexpectedError };
      return async () =>
        withinTests(concurrentCalls, tenant.id, async () => ({
          test,
          outcome: await sendTest(senders, test),
        }));
    },
    reach: async (send, signal): Promise<Tested> => send(signal),
  },
  async handle({ outcome: tested }, { em }) {
    const attempt = 'attempt' in tested ? tested.attempt : await recordTest(em, tested.test, tested.outcome);
    const { messageId } = attempt;
    return succeeded('Advanced webhook endpoint tested successfully.', { messageId, attempt });
  },
});
