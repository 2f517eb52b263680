import { z } from 'zod';
import { findServedEndpoint } from '../../../domain/webhooks/endpoints/endpoint-row.ts';
import { readHealth, type HealthRow } from '../../../domain/webhooks/messages/read-health.ts';
import { requireKey } from '../../../domain/workspaces/find-key.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { endpoint } from '../../http/endpoint.ts';
import { listResponse, paging } from '../../http/response/list.ts';
import { rowPages } from '../../http/response/row-pages.ts';
import {
  endpointHealthResponse,
  endpointHealthView,
  maxHealthBytes,
  maxHealthEndpoints,
} from '../../webhooks/endpoint-health.ts';
import { endpointId } from '../../webhooks/webhook-endpoint.ts';
import { keyId } from '../key-id.ts';
import { shortPages } from '../short-pages.ts';

const healthResponse = endpointHealthResponse
  .extend({ keyId: z.string().describe('Public id of the API key, `akid_…`.') })
  .meta({ id: 'WebhookHealth' });

const healthView = (row: HealthRow): z.input<typeof healthResponse> => ({
  ...endpointHealthView(row),
  keyId: row.key_id,
});

export const webhookHealth = endpoint({
  paths: ['/v2/operator/webhooks/health'],
  credentials: 'operator',
  operatorScope: 'read',
  mutates: false,
  summary: 'Lists webhook endpoints of every API key with their pending messages, outcomes and pauses.',
  description:
    'Returns up to 100 endpoints per page. A page may be short: only an absent `nextPageToken` marks the ' +
    'end. URLs are not shown, because they may contain secrets. An unknown key or endpoint fails with ' +
    '`NOT_FOUND`.',
  data: z.strictObject({
    keyId: keyId.optional().describe('Only endpoints of this API key.'),
    endpointId: endpointId.optional().describe('Only this endpoint, `ep_…`.'),
    ...paging,
  }),
  response: listResponse(healthResponse, { unpagedPaths: [] }),
  errors: ['NOT_FOUND'],
  example: { pageSize: 50 },
  async handle({ data }, { em }) {
    const of = await chosen(em, data);
    const list = rowPages(maxHealthBytes, healthView, async (page) => readHealth(em, { of, ...page }));
    return { message: 'Webhook health retrieved successfully.', list: shortPages(maxHealthEndpoints, list) };
  },
});

async function chosen(
  em: EntityManager,
  data: { readonly keyId?: string | undefined; readonly endpointId?: string | undefined },
) {
  return {
    ...(data.keyId !== undefined && { tenantId: (await requireKey(em, { keyId: data.keyId })).tenantId }),
    ...(data.endpointId !== undefined && { endpoint: (await findServedEndpoint(em, data.endpointId)).id }),
  };
}
