import { defineEntity, p, sql } from '@mikro-orm/core';
import { customerId, moment, reference, surrogateKey } from '../columns.ts';
import { ApiKeySchema } from '../workspaces/api-key.entity.ts';
import type { Metadata } from '../metadata.ts';

/** A row for every `userId` that any request has named, so that writes always have a row to lock. */
export const UserSchema = defineEntity({
  name: 'User',
  tableName: 'app_user',
  properties: {
    id: surrogateKey(),
    apiKeyId: reference(ApiKeySchema, 'api_key_id'),
    extId: customerId('ext_id').nullable(),
    name: p.text().default(''),
    email: p.text().default(''),
    metadata: p.json<Metadata>().defaultRaw("'{}'"),
    createdAt: moment().defaultRaw('now()'),
    updatedAt: moment().defaultRaw('now()'),
    deletedAt: moment().nullable(),
  },
  indexes: [
    {
      name: 'app_user_name',
      expression: () =>
        sql`create index app_user_name on app_user (api_key_id, (lower(left(name, 100)) collate "C"), id) where ext_id is not null and name <> ''`,
    },
  ],
  uniques: [{ name: 'app_user_ext', properties: ['apiKeyId', 'extId'] }],
  checks: [{ name: 'app_user_check', expression: 'ext_id is not null or deleted_at is not null' }],
});
