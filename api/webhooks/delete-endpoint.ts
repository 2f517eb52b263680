import { z } from 'zod';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { outsideEndpoint } from '../http/outside-endpoint.ts';
import { actOnEndpoints, endpointErrors } from './act-on-endpoints.ts';
import { endpointId } from './webhook-endpoint.ts';

const data = z.strictObject({ endpointId });

const { outside, result } = actOnEndpoints((endpoints, sent: z.output<typeof data>) =>
  endpoints.remove(sent.endpointId),
);

export const deleteEndpoint = outsideEndpoint({
  paths: ['/v2/workspace/advancedwebhook/endpoints/delete'],
  credentials: 'apiKey',
  audit: { action: 'endpoint.delete', target: ({ data }) => data.endpointId },
  summary: 'Deletes a webhook endpoint.',
  description:
    'No further attempt starts; one that is already connecting may complete within 15 seconds. Permanent: ' +
    'pending messages are dropped and the secret becomes invalid. An unknown endpoint fails with ' +
    '`NOT_FOUND`, even when the call is repeated. Fails with `FAILED_PRECONDITION` while advanced ' +
    'webhooks are off. The audit log records the call.',
  data,
  outside,
  response: dataResponse(
    z.strictObject({
      endpointId: z.string().describe('Id of the endpoint.'),
      deleted: z.literal(true).describe('Always true.'),
    }),
  ),
  errors: endpointErrors,
  example: { endpointId: 'ep_0123456789abcdefghijABCDEFGHIJ01' },
  async handle(call, work) {
    work.audit.changed(await result(call, work), null);
    return succeeded('Advanced webhook endpoint deleted successfully.', {
      endpointId: call.data.endpointId,
      deleted: true as const,
    });
  },
});
