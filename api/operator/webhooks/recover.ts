import { z } from 'zod';
import { recoverOfAnyKey } from '../../../domain/webhooks/messages/recover-messages.ts';
import { endpoint } from '../../http/endpoint.ts';
import { dataResponse, succeeded } from '../../http/response/data.ts';
import { recoveredPeriod, recoveryRequest } from '../../webhooks/recover-messages.ts';

export const recoverWebhooks = endpoint({
  paths: ['/v2/operator/webhooks/recover'],
  credentials: 'operator',
  operatorScope: 'operate',
  mutates: true,
  audit: { action: 'endpoint.recover_messages', target: ({ data }) => data.endpointId },
  summary: 'Queues one attempt for each failed or canceled message of an endpoint of any API key.',
  description:
    'Takes the oldest messages first, max 10,000 per call. A queued message is pending, so a repeated ' +
    'call does not queue it again; repeat the call while `messages` is 10,000. An unknown endpoint fails ' +
    'with `NOT_FOUND`, a disabled one with `FAILED_PRECONDITION`. The audit log records the call.',
  data: recoveryRequest,
  response: dataResponse(
    z.strictObject({
      endpointId: z.string().describe('Id of the endpoint, `ep_…`.'),
      messages: z.int().meta({ description: 'Number of queued messages.' }),
    }),
  ),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: { endpointId: 'ep_0123456789abcdefghijABCDEFGHIJ01', since: 4_102_444_800_000 },
  async handle({ data }, { em, audit, wakeEndpoint }) {
    const { endpointId } = data;
    const { keyId, messages } = await recoverOfAnyKey(em, endpointId, recoveredPeriod(data));
    audit.key(keyId);
    if (messages > 0) wakeEndpoint({ keyId, endpointId });
    return succeeded('Messages recovered successfully.', { endpointId, messages });
  },
});
