import { z } from 'zod';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { endpointsToRead, endpointErrors } from './act-on-endpoints.ts';
import { endpointId } from './webhook-endpoint.ts';

export const getSecret = endpoint({
  paths: ['/v2/workspace/advancedwebhook/endpoints/secret/get'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Returns the secret that signs messages to an endpoint.',
  data: z.strictObject({ endpointId }),
  response: dataResponse(z.strictObject({ endpointId: z.string(), secret: z.string() })),
  errors: endpointErrors,
  example: { endpointId: 'ep_0123456789abcdefghijABCDEFGHIJ01' },
  async handle({ data, tenant }, work) {
    const endpoints = await endpointsToRead(tenant, work);
    return succeeded('Advanced webhook endpoint secret retrieved successfully.', {
      endpointId: data.endpointId,
      secret: await endpoints.readSecret(data.endpointId),
    });
  },
});
