import { defineEntity, p } from '@mikro-orm/core';
import { customerId, reference, surrogateKey } from '../columns.ts';
import { OrganizationSchema } from '../organizations/organization.entity.ts';

/** A group of users within one organization. */
export const UserGroupSchema = defineEntity({
  name: 'UserGroup',
  tableName: 'user_group',
  properties: {
    id: surrogateKey(),
    apiKeyId: p.bigint('string'),
    orgId: reference(OrganizationSchema, 'org_id'),
    extId: customerId('ext_id'),
    name: p.text(),
  },
  uniques: [{ name: 'user_group_org_id_ext_id_key', properties: ['orgId', 'extId'] }],
});
