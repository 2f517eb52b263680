import { defineEntity, p } from '@mikro-orm/core';
import { moment, reference } from '../columns.ts';
import { ApiKeySchema } from '../workspaces/api-key.entity.ts';

/** The token bucket of an API key, and the requests that all processes have received. Rows exist for busy keys only. */
export const RequestBucketSchema = defineEntity({
  name: 'RequestBucket',
  tableName: 'request_bucket',
  properties: {
    apiKeyId: reference(ApiKeySchema, 'api_key_id').primary(),
    perSecond: p.integer(),
    burst: p.integer(),
    /** Tokens at `filledAt`; negative when processes admitted more than the bucket held. */
    level: p.double(),
    /** Requests that processes have reported since the row exists, refused ones too. */
    requests: p.bigint('string'),
    filledAt: moment(),
  },
});
