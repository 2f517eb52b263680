import { z } from 'zod';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { outsideEndpoint } from '../http/outside-endpoint.ts';
import { actOnEndpoints, endpointErrors } from './act-on-endpoints.ts';
import { endpointId, messageId } from './webhook-endpoint.ts';

const data = z.strictObject({ endpointId, messageId });

const { outside, result } = actOnEndpoints((endpoints, sent: z.output<typeof data>) =>
  endpoints.resend(sent.endpointId, sent.messageId),
);

export const resendMessage = outsideEndpoint({
  paths: ['/v2/workspace/advancedwebhook/endpoints/messages/resend'],
  credentials: 'apiKey',
  audit: { action: 'endpoint.resend_message', target: ({ data }) => data.endpointId },
  summary: 'Queues another attempt to deliver a message.',
  description:
    'The attempt starts at once and does not change the retry schedule. Receivers recognize the message ' +
    'by its `webhook-id`. An unknown endpoint or message fails with `NOT_FOUND`, a disabled endpoint with ' +
    '`FAILED_PRECONDITION`, as do calls while advanced webhooks are off. Each call queues another ' +
    'attempt, unless it repeats an `Idempotency-Key`. The audit log records the call.',
  data,
  outside,
  response: dataResponse(
    z.strictObject({
      endpointId: z.string().describe('Id of the endpoint.'),
      messageId: z.string().describe('Id of the message.'),
    }),
  ),
  errors: endpointErrors,
  example: {
    endpointId: 'ep_0123456789abcdefghijABCDEFGHIJ01',
    messageId: 'evt_0123456789abcdefghijABCDEFGHIJ02',
  },
  async handle(call, work) {
    await result(call, work);
    return succeeded('Advanced webhook endpoint message resent successfully.', call.data);
  },
});
