import { defineEntity, p } from '@mikro-orm/core';
import { byteText, moment, reference } from '../columns.ts';
import { UserSchema } from '../users/user.entity.ts';
import { accessRoleNumbers } from '../tenancy/access-roles.ts';
import { resourceKindNumbers } from '../tenancy/resource-kinds.ts';

/** A user's membership and grant on one resource, side by side: revoking one never raises the other. */
export const AccessSchema = defineEntity({
  name: 'Access',
  tableName: 'access',
  properties: {
    userId: reference(UserSchema, 'user_id').primary(),
    kind: p.enum(resourceKindNumbers).primary(),
    resourceId: p.bigint('string').primary(),
    apiKeyId: p.bigint('string'),
    orgId: p.bigint('string'),
    userExt: byteText(),
    isMember: p.boolean(),
    memberRole: p.enum(accessRoleNumbers).nullable(),
    grantRole: p.enum(accessRoleNumbers).nullable(),
    grantExpiresAt: moment().nullable(),
  },
  indexes: [
    { name: 'access_resource', properties: ['kind', 'resourceId', 'userExt'] },
    { name: 'access_organization', properties: ['orgId', 'kind', 'userExt', 'resourceId'] },
    { name: 'access_user_organization', properties: ['userId', 'orgId'] },
    { name: 'access_expiry', properties: ['grantExpiresAt'], where: 'grant_expires_at is not null' },
  ],
  checks: [{ name: 'access_check', expression: 'is_member or grant_role is not null' }],
});
