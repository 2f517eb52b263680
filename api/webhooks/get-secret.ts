import { z } from 'zod';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { endpointsToRead, endpointErrors } from './act-on-endpoints.ts';
import { endpointId } from './webhook-endpoint.ts';

export const getSecret = endpoint({
  paths: ['/v2/workspace/advancedwebhook/endpoints/secret/get'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Returns the secret that signs messages to a webhook endpoint.',
  description:
    'After a rotation, returns the new secret. Verify messages with any library of Standard Webhooks. An ' +
    'unknown endpoint fails with `NOT_FOUND`. Fails with `FAILED_PRECONDITION` while advanced webhooks ' +
    'are off.',
  data: z.strictObject({ endpointId }),
  response: dataResponse(
    z.strictObject({
      endpointId: z.string().describe('Id of the endpoint.'),
      secret: z.string().describe('Signing secret: `whsec_` and base64.'),
    }),
  ),
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
