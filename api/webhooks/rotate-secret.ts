import { z } from 'zod';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { outsideEndpoint } from '../http/endpoint.ts';
import { milliseconds } from '../schemas.ts';
import { provided, providedErrors } from './provided.ts';
import { endpointId } from './webhook-endpoint.ts';

const data = z.strictObject({ endpointId });

const { outside, result } = provided((endpoints, sent: z.output<typeof data>) =>
  endpoints.rotateSecret(sent.endpointId),
);

export const rotateSecret = outsideEndpoint({
  paths: ['/v2/workspace/advancedwebhook/endpoints/secret/rotate'],
  credentials: 'apiKey',
  summary: 'Gives an endpoint a new secret. For 24 hours messages are signed with the former one as well.',
  data,
  outside,
  response: dataResponse(
    z.strictObject({ endpointId: z.string(), secret: z.string(), previousSecretExpiresAt: milliseconds }),
  ),
  errors: providedErrors,
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
