import { z } from 'zod';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { outsideEndpoint } from '../http/endpoint.ts';
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
  summary: 'Queues another attempt of a message under the same id.',
  data,
  outside,
  response: dataResponse(z.strictObject({ endpointId: z.string(), messageId: z.string() })),
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
