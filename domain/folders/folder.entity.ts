import { defineEntity, p } from '@mikro-orm/core';
import {
  byteText,
  customerId,
  keys,
  moment,
  reference,
  surrogateKey,
  type ParentReference,
} from '../columns.ts';
import { OrganizationSchema } from '../organizations/organization.entity.ts';
import type { Metadata } from '../metadata.ts';
import { accessTypeNumbers } from '../tenancy/access-types.ts';

/** `ancestors` holds the surrogate keys from the top folder to the parent. */
export const FolderSchema = defineEntity({
  name: 'Folder',
  tableName: 'folder',
  properties: {
    id: surrogateKey(),
    apiKeyId: p.bigint('string'),
    orgId: reference(OrganizationSchema, 'org_id'),
    extId: customerId('ext_id').nullable(),
    parentId: (): ParentReference => reference(FolderSchema, 'parent_id').nullable(),
    ancestors: keys().default([]),
    name: byteText(),
    accessType: p.enum(accessTypeNumbers).nullable(),
    metadata: p.json<Metadata>().defaultRaw("'{}'"),
    createdAt: moment().defaultRaw('now()'),
    updatedAt: moment().defaultRaw('now()'),
    deletedAt: moment().nullable(),
    closingUntil: moment().nullable(),
  },
  indexes: [
    { name: 'folder_root', properties: ['orgId', 'extId'], where: 'parent_id is null' },
    { name: 'folder_parent', properties: ['parentId'], where: 'parent_id is not null' },
  ],
  uniques: [{ name: 'folder_ext', properties: ['orgId', 'extId'] }],
  checks: [
    { name: 'folder_check', expression: 'ext_id is not null or deleted_at is not null' },
    { name: 'folder_check1', expression: 'parent_id <> id' },
  ],
});
