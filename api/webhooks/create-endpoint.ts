import { z } from 'zod';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { outsideEndpoint } from '../http/outside-endpoint.ts';
import { actOnEndpoints, endpointErrors } from './act-on-endpoints.ts';
import { endpointMembers, uid, writtenEndpoint, writtenEndpointResponse } from './webhook-endpoint.ts';

const { url, description, filterTypes, channels, disabled, rateLimit, metadata } = endpointMembers;

const data = z.strictObject({
  url,
  description: description.optional(),
  filterTypes: filterTypes.optional(),
  channels: channels.optional(),
  disabled: disabled.default(false),
  rateLimit: rateLimit.optional(),
  uid: uid.optional(),
  metadata: metadata.optional(),
});

const { outside, result } = actOnEndpoints((endpoints, sent: z.output<typeof data>, callId) =>
  endpoints.create(sent, callId),
);

export const createEndpoint = outsideEndpoint({
  paths: ['/v2/workspace/advancedwebhook/endpoints/create'],
  credentials: 'apiKey',
  audit: { action: 'endpoint.create' },
  summary: 'Creates a webhook endpoint with its own signing secret.',
  description:
    'An API key has up to 100 endpoints, unless its limits differ. Messages follow Standard Webhooks and ' +
    'are signed with the secret of the endpoint; read it with ' +
    '`/v2/workspace/advancedwebhook/endpoints/secret/get`. A failed message is retried; by default, seven ' +
    'times within 28 hours. A private or reserved address in `url` is accepted with a `warning`, and ' +
    'every attempt to it fails. Fails with `FAILED_PRECONDITION` while advanced webhooks are off, ' +
    '`ALREADY_EXISTS` for a taken `uid`, and `RESOURCE_EXHAUSTED` beyond the limit of endpoints. Without ' +
    'an `Idempotency-Key`, a repeated call creates another endpoint. The audit log records the call.',
  data,
  outside,
  response: dataResponse(writtenEndpointResponse),
  errors: [...endpointErrors, 'ALREADY_EXISTS', 'RESOURCE_EXHAUSTED'],
  example: {
    url: 'https://hooks.example.com/steward',
    description: 'Comments of Acme',
    filterTypes: ['comment.add', 'comment.update'],
    rateLimit: 100,
  },
  async handle(call, work) {
    const endpoint = await result(call, work);
    work.audit.target(endpoint.id);
    work.audit.changed(null, endpoint);
    return succeeded('Advanced webhook endpoint created successfully.', writtenEndpoint(endpoint, work));
  },
});
