import { z } from 'zod';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { outsideEndpoint } from '../http/endpoint.ts';
import { milliseconds } from '../schemas.ts';
import { actOnEndpoints, endpointErrors } from './act-on-endpoints.ts';
import { endpointId } from './webhook-endpoint.ts';

const data = z.strictObject({ endpointId });

const { outside, result } = actOnEndpoints((endpoints, sent: z.output<typeof data>) =>
  endpoints.rotateSecret(sent.endpointId),
);

export const rotateSecret = outsideEndpoint({
  paths: ['/v2/workspace/advancedwebhook/endpoints/secret/rotate'],
  credentials: 'apiKey',
  audit: { action: 'endpoint.rotate_secret', target: ({ data }) => data.endpointId },
  summary: 'Replaces the secret of an endpoint. The previous secret also signs messages for 24 hours.',
  data,
  outside,
  response: dataResponse(
    z.strictObject({ endpointId: z.string(), secret: z.string(), previousSecretExpiresAt: milliseconds }),
  ),
  errors: endpointErrors,
  example: { endpointId: 'ep_0123456789abcdefghijABCDEFGHIJ01' },
  async handle(call, work) {
    const { endpointId: id } = call.data;
    const rotated = await result(call, work);
    return succeeded('Advanced webhook endpoint secret rotated successfully.', {
      endpointId: id,
      ...rotated,
    });
  },
});
