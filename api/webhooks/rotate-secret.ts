import { z } from 'zod';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { outsideEndpoint } from '../http/outside-endpoint.ts';
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
  summary: 'Replaces the secret of a webhook endpoint.',
  description:
    'The previous secret also signs messages for 24 hours, so receivers can change the secret at any time ' +
    'within them. A second rotation within 24 hours drops the oldest secret. Send an `Idempotency-Key`, ' +
    'so that a retry does not rotate twice. An unknown endpoint fails with `NOT_FOUND`. Fails with ' +
    '`FAILED_PRECONDITION` while advanced webhooks are off. The audit log records the call.',
  data,
  outside,
  response: dataResponse(
    z.strictObject({
      endpointId: z.string().describe('Id of the endpoint.'),
      secret: z.string().describe('New signing secret: `whsec_` and base64.'),
      previousSecretExpiresAt: milliseconds.describe(
        'When the previous secret stops signing, in milliseconds since the epoch.',
      ),
    }),
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
