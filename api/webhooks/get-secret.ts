import { z } from 'zod';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { endpointsToRead, providedErrors } from './provided.ts';
import { endpointId } from './webhook-endpoint.ts';

export const getSecret = endpoint({
  paths: ['/v2/workspace/advancedwebhook/endpoints/secret/get'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Reads the secret by which an endpoint verifies signatures.',
  data: z.strictObject({ endpointId }),
  response: dataResponse(z.strictObject({ endpointId: z.string(), secret: z.string() })),
  errors: providedErrors,
  example: { endpointId: 'ep_0123456789abcdefghijABCDEFGHIJ01' },
  async handle({ data, tenant }, work) {
    const endpoints = await endpointsToRead(tenant, work);
    return succeeded('Advanced webhook endpoint secret retrieved successfully.', {
      endpointId: data.endpointId,
      secret: await endpoints.readSecret(data.endpointId),
    });
  },
});
