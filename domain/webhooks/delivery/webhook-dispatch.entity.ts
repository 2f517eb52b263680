import { defineEntity } from '@mikro-orm/core';
import { moment, reference } from '../../columns.ts';
import { ApiKeySchema } from '../../workspaces/api-key.entity.ts';

/** Until `drainingUntil`, a dispatch turn continues to poll the key's outbox: an earlier commit need not wake one. */
export const WebhookDispatchSchema = defineEntity({
  name: 'WebhookDispatch',
  tableName: 'webhook_dispatch',
  properties: {
    apiKeyId: reference(ApiKeySchema, 'api_key_id').primary(),
    drainingUntil: moment(),
  },
});
