import { defineEntity, p } from '@mikro-orm/core';
import { byteText, moment, reference } from '../columns.ts';
import { UserSchema } from './user.entity.ts';

/** Every address that a user has or had, in lower case; also the id of one whose id looks like an address. */
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
