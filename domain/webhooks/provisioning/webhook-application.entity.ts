import { defineEntity, p } from '@mikro-orm/core';
import { moment, reference } from '../../columns.ts';
import { ApiKeySchema } from '../../workspaces/api-key.entity.ts';

/** A key's application at a webhook provider. Endpoint calls require `provisionedAt`. `jobId` may refer to an expired job. */
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
