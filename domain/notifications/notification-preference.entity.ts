import { defineEntity, p } from '@mikro-orm/core';
import { moment, reference } from '../columns.ts';
import { UserSchema } from '../users/user.entity.ts';

/** Numbers in the database, never reused. */
export const levelNumbers = { ALL: 1, MINE: 2, NONE: 3 } as const;

/** ALL: every notification; MINE: those that name the user; NONE: no notification. */
export type PreferenceLevel = keyof typeof levelNumbers;

/**
 * Preferences of a user. `documentId` 0 applies to the organization. A null channel inherits from the organization or the
 * default.
 */
export const NotificationPreferenceSchema = defineEntity({
  name: 'NotificationPreference',
  tableName: 'preference',
  properties: {
    userId: reference(UserSchema, 'user_id').primary(),
    orgId: p.bigint('string').primary(),
    documentId: p.bigint('string').primary().defaultRaw('0'),
    apiKeyId: p.bigint('string'),
    inbox: p.enum(levelNumbers).nullable(),
    email: p.enum(levelNumbers).nullable(),
    slack: p.enum(levelNumbers).nullable(),
    updatedAt: moment().defaultRaw('now()'),
  },
  indexes: [
    { name: 'preference_document', properties: ['documentId', 'userId'], where: 'document_id <> 0' },
    { name: 'preference_organization', properties: ['orgId', 'documentId', 'userId'] },
  ],
});
