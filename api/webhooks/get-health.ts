import { z } from 'zod';
import { readHealth } from '../../domain/webhooks/messages/read-health.ts';
import { endpoint } from '../http/endpoint.ts';
import { listResponse, paging } from '../http/response/list.ts';
import { rowPages } from '../http/response/row-pages.ts';
import { shortPages } from '../operator/short-pages.ts';
import {
  endpointHealthResponse,
  endpointHealthView,
  maxHealthBytes,
  maxHealthEndpoints,
} from './endpoint-health.ts';

export const getHealth = endpoint({
  paths: ['/v2/workspace/advancedwebhook/endpoints/health/get'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Lists the webhook endpoints of the API key with their pending messages and last outcomes.',
  description:
    'Returns up to 100 endpoints per page, in order of creation, even while webhooks are off, and those of ' +
    'the basic webhook. A page may be short: only an absent `nextPageToken` marks the end.',
  data: z.strictObject(paging),
  response: listResponse(endpointHealthResponse, { unpagedPaths: [] }),
  errors: [],
  example: { pageSize: 50 },
  async handle({ tenant }, { em }) {
    const of = { tenantId: tenant.id };
    const list = rowPages(maxHealthBytes, endpointHealthView, async (page) =>
      readHealth(em, { of, ...page }),
    );
    return { message: 'Webhook health retrieved successfully.', list: shortPages(maxHealthEndpoints, list) };
  },
});
