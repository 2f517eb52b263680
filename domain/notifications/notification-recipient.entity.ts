import { defineEntity, p } from '@mikro-orm/core';
import { byteText } from '../columns.ts';

/**
 * A recipient of a notification. Copies its document, location and time, so that one index lists a user's notifications.
 * No foreign key: rows of a former audience are deleted later. `email` is the address sent.
 */
export const NotificationRecipientSchema = defineEntity({
  name: 'NotificationRecipient',
  tableName: 'notification_recipient',
  properties: {
    audienceId: p.bigint('string').primary(),
    userId: p.bigint('string').primary(),
    apiKeyId: p.bigint('string'),
    orgId: p.bigint('string'),
    documentId: p.bigint('string'),
    locationId: byteText().nullable(),
    ts: p.bigint('string'),
    readRevision: p.integer().default(0),
    email: p.text().nullable(),
  },
  indexes: [
    { name: 'recipient_org', properties: ['userId', 'orgId', 'ts', 'audienceId'] },
    { name: 'recipient_document', properties: ['userId', 'documentId', 'ts', 'audienceId'] },
    {
      name: 'recipient_location',
      properties: ['userId', 'orgId', 'locationId', 'ts', 'audienceId'],
      where: 'location_id is not null',
    },
  ],
});
