import { defineEntity, p } from '@mikro-orm/core';
import { reference } from '../columns.ts';
import { NotificationSchema } from './notification.entity.ts';

/**
 * A user that a notification names and that has no inbox entry, by preference or without access. Holds while
 * `audienceId` is the audience of the notification. `email` is the address sent.
 */
export const NamedRecipientSchema = defineEntity({
  name: 'NamedRecipient',
  tableName: 'named_recipient',
  properties: {
    notificationId: reference(NotificationSchema, 'notification_id', 'cascade').primary(),
    userId: p.bigint('string').primary(),
    audienceId: p.bigint('string'),
    apiKeyId: p.bigint('string'),
    orgId: p.bigint('string'),
    email: p.text().nullable(),
  },
  indexes: [{ name: 'named_recipient_user', properties: ['userId', 'orgId', 'notificationId'] }],
});
