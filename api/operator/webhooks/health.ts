import { z } from 'zod';
import { endpointKinds } from '../../../domain/events/endpoint-kinds.ts';
import { nameOfNumber } from '../../../domain/name-of-number.ts';
import { findServedEndpoint } from '../../../domain/webhooks/endpoints/endpoint-row.ts';
import { healthLimits, readHealth, type HealthRow } from '../../../domain/webhooks/messages/read-health.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { endpoint } from '../../http/endpoint.ts';
import { listResponse, paging } from '../../http/response/list.ts';
import { rowPages } from '../../http/response/row-pages.ts';
import { milliseconds } from '../../schemas.ts';
import { endpointId } from '../../webhooks/webhook-endpoint.ts';
import { keyId, requireKey } from '../key-id.ts';
import { shortPages } from '../short-pages.ts';

/** A reason and a host name have up to 255 characters. */
const maxHealthBytes = 2_048;

/** Each endpoint may read 1,100 index entries. */
const maxEndpoints = 100;

const moment = milliseconds.nullable();

const healthResponse = z
  .strictObject({
    endpointId: z.string().describe('Id of the endpoint, `ep_…`.'),
    keyId: z.string().describe('Public id of the API key, `akid_…`.'),
    kind: z
      .enum(Object.keys(endpointKinds) as [EndpointName, ...EndpointName[]])
      .describe('Whether the endpoint belongs to advanced webhooks or to the basic webhook.'),
    host: z.string().nullable().meta({ description: 'Host of the URL, which may hold secrets itself.' }),
    pending: z.int().meta({ description: `Pending messages, at most ${String(healthLimits.pending)}.` }),
    oldestPendingAt: moment.meta({ description: 'The oldest event of the counted messages.' }),
    lastSuccessAt: moment.meta({
      description: `The last success among the latest ${String(healthLimits.attempts)} attempts.`,
    }),
    lastFailureAt: moment.describe('Last failed attempt, in milliseconds since the epoch. Null without one.'),
    failingSince: moment.describe(
      'First failure since the last success, in milliseconds since the epoch. Null while deliveries ' +
        'succeed.',
    ),
    paused: z.boolean().describe('Whether an operator paused the deliveries, by any scope.'),
    disabled: z.boolean().describe('Whether deliveries are stopped.'),
    disabledReason: z.string().nullable().meta({ description: 'Null when the customer disabled it.' }),
  })
  .meta({ id: 'WebhookHealth' });
type EndpointName = keyof typeof endpointKinds;

export const webhookHealth = endpoint({
  paths: ['/v2/operator/webhooks/health'],
  credentials: 'operator',
  operatorScope: 'read',
  mutates: false,
  summary: 'Lists webhook endpoints of every API key with their pending messages, outcomes and pauses.',
  description:
    'Returns up to 100 endpoints per page. A page may be short: only an absent `nextPageToken` marks the ' +
    'end. URLs are not shown, because they may hold secrets. An unknown key or endpoint fails with ' +
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
    return { message: 'Webhook health retrieved successfully.', list: shortPages(maxEndpoints, list) };
  },
});

async function chosen(
  em: EntityManager,
  data: { readonly keyId?: string | undefined; readonly endpointId?: string | undefined },
) {
  return {
    ...(data.keyId !== undefined && { tenantId: (await requireKey(em, data.keyId)).tenantId }),
    ...(data.endpointId !== undefined && { endpoint: (await findServedEndpoint(em, data.endpointId)).id }),
  };
}

function healthView(row: HealthRow): z.input<typeof healthResponse> {
  return {
    endpointId: row.public_id,
    keyId: row.key_id,
    kind: nameOfNumber(endpointKinds, row.kind),
    host: URL.parse(row.url)?.host ?? null,
    pending: row.pending,
    oldestPendingAt: row.oldest_pending?.getTime() ?? null,
    lastSuccessAt: row.last_success?.getTime() ?? null,
    lastFailureAt: row.last_failure?.getTime() ?? null,
    failingSince: row.failing_since?.getTime() ?? null,
    paused: row.paused,
    disabled: row.disabled_at !== null,
    disabledReason: row.disabled_at === null ? null : row.disabled_reason,
  };
}
