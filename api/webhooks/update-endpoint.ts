import { z } from 'zod';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { outsideEndpoint } from '../http/outside-endpoint.ts';
import { atLeastOne } from '../rules.ts';
import { actOnEndpoints, endpointErrors } from './act-on-endpoints.ts';
import { endpointId, endpointMembers, writtenEndpoint, writtenEndpointResponse } from './webhook-endpoint.ts';

const { url, description, filterTypes, channels, disabled, rateLimit, metadata } = endpointMembers;

const data = z
  .strictObject({
    endpointId,
    url: url.optional().describe('New URL.'),
    description: description
      .nullable()
      .optional()
      .describe('Description, max 1,000 characters. Null clears it.'),
    filterTypes: filterTypes
      .nullable()
      .optional()
      .describe('Event types to deliver, max 100. Null or empty: all.'),
    channels: channels
      .nullable()
      .optional()
      .describe('Ids of organizations and documents whose events are delivered, max 10. Null or empty: all.'),
    disabled: disabled.optional().describe('True stops deliveries, false resumes them.'),
    rateLimit: rateLimit
      .nullable()
      .optional()
      .describe('Messages per second; further messages are delayed. Null: no limit.'),
    metadata: metadata
      .optional()
      .describe(
        'Your own strings, max 50, each at most 1,000 characters. Replaces all of them; never returned.',
      ),
  })
  .check(
    atLeastOne(
      Object.keys(endpointMembers),
      'At least one endpoint field besides endpointId must be provided.',
    ),
  );

const { outside, result } = actOnEndpoints(
  (endpoints, { endpointId: id, ...change }: z.output<typeof data>) => endpoints.update(id, change),
);

export const updateEndpoint = outsideEndpoint({
  paths: ['/v2/workspace/advancedwebhook/endpoints/update'],
  credentials: 'apiKey',
  audit: { action: 'endpoint.update', target: ({ data }) => data.endpointId },
  summary: 'Updates a webhook endpoint.',
  description:
    '`disabled: false` also clears `disabledReason`. Fields that are not sent keep their value. `uid` ' +
    'cannot change. Deliveries use the new settings from the next attempt on. A private or reserved ' +
    'address in `url` is accepted with a `warning`. An unknown endpoint fails with `NOT_FOUND`. Fails ' +
    'with `FAILED_PRECONDITION` while advanced webhooks are off. The audit log records the call.',
  data,
  outside,
  response: dataResponse(writtenEndpointResponse),
  errors: endpointErrors,
  example: { endpointId: 'ep_0123456789abcdefghijABCDEFGHIJ01', rateLimit: 50, description: null },
  async handle(call, work) {
    const { before, after: endpoint } = await result(call, work);
    work.audit.changed(before, endpoint);
    return succeeded('Advanced webhook endpoint updated successfully.', writtenEndpoint(endpoint, work));
  },
});
