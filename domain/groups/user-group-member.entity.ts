import { defineEntity, p } from '@mikro-orm/core';
import { byteText, reference } from '../columns.ts';
import { UserSchema } from '../users/user.entity.ts';
import { UserGroupSchema } from './user-group.entity.ts';

/** Membership of a user in a group. */
export const UserGroupMemberSchema = defineEntity({
  name: 'UserGroupMember',
  tableName: 'user_group_member',
  properties: {
    groupId: reference(UserGroupSchema, 'group_id').primary(),
    userExt: byteText().primary(),
    userId: reference(UserSchema, 'user_id'),
    apiKeyId: p.bigint('string'),
  },
  indexes: [{ name: 'user_group_member_user', properties: ['userId'] }],
});
