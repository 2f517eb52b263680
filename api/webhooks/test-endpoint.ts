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
import { outsideEndpoint } from '../http/endpoint.ts';
import { attemptResponse } from './attempt.ts';
import { providedErrors, requireApplication } from './provided.ts';
import { TestsUnderWay } from './tests-under-way.ts';
import { endpointId, eventType } from './webhook-endpoint.ts';

/** How a test went: told by the provider that made it, or still to be recorded. */
type Tested =
  { readonly told: WebhookAttempt } | { readonly test: PreparedTest; readonly outcome: AttemptOutcome };

type Send = (signal: AbortSignal) => Promise<Tested>;

/** Milliseconds: an attempt takes 15 seconds at most, and a provider asks for it a little later. */
const limit = 17_000;

/** A caller waits for this attempt: the frame logs a bug and answers for it. */
const onBug = (error: unknown): never => {
  throw error;
};

const underWay = new TestsUnderWay();

export const testEndpoint = outsideEndpoint({
  paths: ['/v2/workspace/advancedwebhook/endpoints/test'],
  credentials: 'apiKey',
  summary:
    'Sends one signed message now, whatever filterTypes say, and answers how it went: a failed delivery is an answer too.',
  data: z.strictObject({ endpointId, eventType: eventType.default('webhook.test') }),
  response: dataResponse(z.strictObject({ messageId: z.string(), attempt: attemptResponse })),
  errors: [...providedErrors, 'RESOURCE_EXHAUSTED', 'DEADLINE_EXCEEDED'],
  example: { endpointId: 'ep_0123456789abcdefghijABCDEFGHIJ01' },
  outside: {
    limitMs: limit,
    async prepare({ data, tenant }, work): Promise<Send> {
      const { em, keyRing, webhooks, outbound } = work;
      await requireAdvancedWebhooks(em, tenant);
      if (webhooks.name !== 'embedded') {
        const request = { ...data, applicationId: await requireApplication(em, tenant, webhooks) };
        return async (signal) =>
          underWay.run(tenant.id, async () => ({ told: await webhooks.test(request, signal) }));
      }
      const endpoint = { tenantId: tenant.id, endpointId: data.endpointId };
      const test = await prepareTest(em, keyRing, endpoint, data.eventType);
      const senders = { outbound, webhooks, onBug };
      return async () =>
        underWay.run(tenant.id, async () => ({ test, outcome: await sendTest(senders, test) }));
    },
    reach: async (send, signal): Promise<Tested> => send(signal),
  },
  async handle({ outcome: tested }, { em }) {
    const attempt = 'told' in tested ? tested.told : await recordTest(em, tested.test, tested.outcome);
    const { messageId } = attempt;
    return succeeded('Advanced webhook endpoint tested successfully.', { messageId, attempt });
  },
});
