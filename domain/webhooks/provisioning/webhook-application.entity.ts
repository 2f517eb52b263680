import { defineEntity, p } from '@mikro-orm/core';
import { moment, reference } from '../../columns.ts';
import { ApiKeySchema } from '../../workspaces/api-key.entity.ts';

/** The application of a key at a webhook provider. Endpoint calls wait for `provisionedAt`. Its job may be deleted. */
export const WebhookApplicationSchema = defineEntity({
  name: 'WebhookApplication',
  tableName: 'webhook_application',
  properties: {
    apiKeyId: reference(ApiKeySchema, 'api_key_id').primary(),
    provider: p.text(),
    applicationId: p.text(),
    jobId: p.bigint('string'),
    provisionedAt: moment().nullable(),
    createdAt: moment().defaultRaw('now()'),
  },
});
