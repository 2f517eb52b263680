import { defineEntity, p } from '@mikro-orm/core';
import { byteText, moment, reference } from '../columns.ts';
import { UserSchema } from './user.entity.ts';

/** Every current and former address of a user, in lower case. Includes ids that look like addresses. */
export const UserAddressSchema = defineEntity({
  name: 'UserAddress',
  tableName: 'user_address',
  properties: {
    apiKeyId: p.bigint('string').primary(),
    address: byteText().primary(),
    userId: reference(UserSchema, 'user_id', 'cascade').primary(),
    createdAt: moment().defaultRaw('now()'),
  },
  indexes: [{ name: 'user_address_user', properties: ['userId'] }],
});
