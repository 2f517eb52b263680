import { defineEntity, p, sql } from '@mikro-orm/core';
import { customerId, moment, reference, surrogateKey } from '../columns.ts';
import { ApiKeySchema } from '../workspaces/api-key.entity.ts';
import type { Metadata } from '../metadata.ts';

/**
 * A deleted row keeps its surrogate key and sets `extId` null, so that the customer can reuse the id. The same holds for
 * folders, documents and users.
 */
export const OrganizationSchema = defineEntity({
  name: 'Organization',
  tableName: 'organization',
  properties: {
    id: surrogateKey(),
    apiKeyId: reference(ApiKeySchema, 'api_key_id'),
    extId: customerId('ext_id').nullable(),
    name: p.text(),
    disabled: p.boolean().default(false),
    metadata: p.json<Metadata>().defaultRaw("'{}'"),
    createdAt: moment().defaultRaw('now()'),
    updatedAt: moment().defaultRaw('now()'),
    deletedAt: moment().nullable(),
    closingUntil: moment().nullable(),
  },
  indexes: [
    {
      name: 'organization_name',
      expression: () =>
        sql`create index organization_name on organization (api_key_id, (lower(left(name, 100)) collate "C"), id) where ext_id is not null`,
    },
  ],
  uniques: [{ name: 'organization_ext', properties: ['apiKeyId', 'extId'] }],
  checks: [{ name: 'organization_check', expression: 'ext_id is not null or deleted_at is not null' }],
});
