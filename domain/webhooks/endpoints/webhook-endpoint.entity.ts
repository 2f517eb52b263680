import { defineEntity, p } from '@mikro-orm/core';
import { bytes, json, moment, reference, surrogateKey } from '../../columns.ts';
import { ApiKeySchema } from '../../workspaces/api-key.entity.ts';
import type { Metadata } from '../../metadata.ts';
import { endpointKinds } from '../../events/endpoint-kinds.ts';

/**
 * A destination of events. Operations on endpoints show kind `advanced` only. `recoveredUntil`: after an outage, retries up
 * to this time were made due; null when none are left. `recoverySpares`: the recovery leaves out messages that got their
 * extra attempts.
 */
export const WebhookEndpointSchema = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoint',
  properties: {
    id: surrogateKey(),
    apiKeyId: reference(ApiKeySchema, 'api_key_id'),
    publicId: p.text().unique(),
    url: p.text(),
    description: p.text().nullable(),
    filterTypes: p.array().$type<readonly string[]>().nullable(),
    channels: p.array().$type<readonly string[]>().nullable(),
    rateLimit: p.integer().nullable(),
    uid: p.text().nullable(),
    metadata: json<Metadata>().nullable(),
    secretEnc: bytes().nullable(),
    oldSecretEnc: bytes().nullable(),
    oldSecretUntil: moment().nullable(),
    nextSequence: p.bigint('string').defaultRaw('1'),
    providerId: p.text().nullable(),
    disabledAt: moment().nullable(),
    disabledReason: p.text().nullable(),
    failingSince: moment().nullable(),
    deletedAt: moment().nullable(),
    createdAt: moment().defaultRaw('now()'),
    updatedAt: moment().defaultRaw('now()'),
    kind: p.enum(endpointKinds).default(endpointKinds.advanced),
    recoveredUntil: moment().nullable(),
    recoverySpares: p.boolean().nullable(),
  },
  indexes: [
    { name: 'webhook_endpoint_key', properties: ['apiKeyId'] },
    { name: 'webhook_endpoint_live', properties: ['apiKeyId', 'id'], where: 'deleted_at is null' },
    { name: 'webhook_endpoint_deleted', properties: ['deletedAt'], where: 'deleted_at is not null' },
    {
      name: 'webhook_endpoint_failing',
      properties: ['failingSince'],
      where: 'failing_since is not null and disabled_at is null and deleted_at is null',
    },
  ],
  uniques: [
    {
      name: 'webhook_endpoint_uid',
      properties: ['apiKeyId', 'uid'],
      where: 'deleted_at is null and uid is not null',
    },
    {
      name: 'webhook_endpoint_hidden',
      properties: ['apiKeyId', 'kind'],
      where: `deleted_at is null and kind <> ${String(endpointKinds.advanced)}`,
    },
  ],
});
