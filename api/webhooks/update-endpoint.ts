import { z } from 'zod';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { outsideEndpoint } from '../http/endpoint.ts';
import { atLeastOne } from '../rules.ts';
import { actOnEndpoints, endpointErrors } from './act-on-endpoints.ts';
import { endpointId, endpointMembers, writtenEndpoint, writtenEndpointResponse } from './webhook-endpoint.ts';

const { url, description, filterTypes, channels, disabled, rateLimit, metadata } = endpointMembers;

const data = z
  .strictObject({
    endpointId,
    url: url.optional(),
    description: description.nullable().optional(),
    filterTypes: filterTypes.nullable().optional(),
    channels: channels.nullable().optional(),
    disabled: disabled.optional(),
    rateLimit: rateLimit.nullable().optional(),
    metadata: metadata.optional(),
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
  summary: 'Updates the given members; null clears a member. `disabled: false` also clears `disabledReason`.',
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
