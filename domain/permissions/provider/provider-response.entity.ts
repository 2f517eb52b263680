import { defineEntity, p } from '@mikro-orm/core';
import { moment } from '../../columns.ts';
import { accessRoleNumbers } from '../../tenancy/access-roles.ts';
import { resourceKindNumbers } from '../../tenancy/resource-kinds.ts';

/** A cached decision of the customer's permission provider. Not read after `expiresAt`; reading does not extend it. */
export const ProviderResponseSchema = defineEntity({
  name: 'ProviderAnswer',
  tableName: 'provider_answer',
  properties: {
    apiKeyId: p.bigint('string').primary(),
    configVersion: p.integer().primary(),
    userId: p.bigint('string').primary(),
    kind: p.enum(resourceKindNumbers).primary(),
    resourceId: p.bigint('string').primary(),
    hasAccess: p.boolean(),
    role: p.enum(accessRoleNumbers).nullable(),
    expiresAt: moment(),
    expiryStated: p.boolean(),
    /** Hash of the customer's id that the provider was asked about. Rows of 0.2.0 have none and are not read. */
    askedIdHash: p.bigint('string').nullable(),
  },
  indexes: [
    { name: 'provider_answer_user', properties: ['userId'] },
    { name: 'provider_answer_expiry', properties: ['expiresAt'] },
  ],
});
