import { defineEntity, p, sql } from '@mikro-orm/core';
import { customerId, moment, reference, surrogateKey } from '../columns.ts';
import { OrganizationSchema } from '../organizations/organization.entity.ts';
import { FolderSchema } from '../folders/folder.entity.ts';
import type { Metadata } from '../metadata.ts';
import { accessTypeNumbers } from '../tenancy/access-types.ts';

/** `folderId` is null for a document at the top level of its organization. */
export const DocumentSchema = defineEntity({
  name: 'Document',
  tableName: 'document',
  properties: {
    id: surrogateKey(),
    apiKeyId: p.bigint('string'),
    orgId: reference(OrganizationSchema, 'org_id'),
    extId: customerId('ext_id').nullable(),
    folderId: reference(FolderSchema, 'folder_id').nullable(),
    name: p.text(),
    disabled: p.boolean().default(false),
    accessType: p.enum(accessTypeNumbers).nullable(),
    metadata: p.json<Metadata>().defaultRaw("'{}'"),
    createdAt: moment().defaultRaw('now()'),
    updatedAt: moment().defaultRaw('now()'),
    deletedAt: moment().nullable(),
    closingUntil: moment().nullable(),
  },
  indexes: [
    { name: 'document_root', properties: ['orgId', 'extId'], where: 'folder_id is null' },
    { name: 'document_folder', properties: ['folderId', 'extId'], where: 'folder_id is not null' },
    { name: 'document_key_id', properties: ['apiKeyId', 'extId', 'id'] },
    {
      name: 'document_name',
      expression: () =>
        sql`create index document_name on document (api_key_id, (lower(left(name, 100)) collate "C"), id) where ext_id is not null`,
    },
  ],
  uniques: [{ name: 'document_ext', properties: ['orgId', 'extId'] }],
  checks: [{ name: 'document_check', expression: 'ext_id is not null or deleted_at is not null' }],
});
