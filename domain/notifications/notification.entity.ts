import { defineEntity, p } from '@mikro-orm/core';
import { bytes, customerId, json, keys, reference, surrogateKey } from '../columns.ts';
import { DocumentSchema } from '../documents/document.entity.ts';

/** Numbers in the database, never reused. */
export const sourceNumbers = {
  comment: 1,
  huddle: 2,
  crdt: 3,
  recorder: 4,
  custom: 5,
} as const;
export type NotificationSource = keyof typeof sourceNumbers;

/** A notification as sent, without members stored in columns or other tables. */
export interface NotificationBody {
  readonly notificationSource: NotificationSource;
  readonly actionUser: { readonly userId: string };
  readonly location?:
    { readonly locationId?: string | undefined; readonly id?: string | undefined } | undefined;
  readonly metadata?: object | undefined;
  readonly [member: string]: unknown;
}

/**
 * `ts`: milliseconds since the epoch. `revision`: version of the texts, compared with a recipient's `readRevision`.
 * `threadId`, `commentId`: surrogate keys whose deletion deletes the notification. `audience`: referenced by recipient
 * rows; a new one hides rows of the former. `toMembers`, `verify`: how the call chose the recipients, valid while
 * `requestedAudience` is the audience. `contentHash`: the request in the order in which it was sent, as release 0.2.0
 * compares it; null when no request can equal the notification. `canonicalHash`: the request in any order, hashed with
 * that `contentHash`, so that it does not count after 0.2.0 has replaced only `contentHash`; null in rows of 0.2.0.
 * `ownBody`: a caller replaced the body, so messages show it, not the comment's text.
 */
export const NotificationSchema = defineEntity({
  name: 'Notification',
  tableName: 'notification',
  properties: {
    id: surrogateKey(),
    apiKeyId: p.bigint('string'),
    orgId: p.bigint('string'),
    documentId: reference(DocumentSchema, 'document_id'),
    extId: customerId('ext_id'),
    locationId: customerId('location_id').nullable(),
    source: p.enum(sourceNumbers),
    actorId: p.bigint('string'),
    ts: p.bigint('string'),
    audience: p
      .bigint('string')
      .defaultRaw("nextval('notification_audience_seq')")
      .ignoreSchemaChanges('default'),
    revision: p.integer().default(1),
    recipientCount: p.integer().default(0),
    mentioned: keys().default([]),
    contentHash: bytes().nullable(),
    canonicalHash: bytes().nullable(),
    threadId: p.bigint('string').nullable(),
    commentId: p.bigint('string').nullable(),
    requestedAudience: p.bigint('string').fieldName('asked_audience').nullable(),
    toMembers: p.boolean().nullable(),
    verify: p.boolean().nullable(),
    ownBody: p.boolean().default(false),
    body: json<NotificationBody>(),
  },
  indexes: [
    { name: 'notification_document', properties: ['documentId', 'ts', 'id'] },
    {
      name: 'notification_location',
      properties: ['documentId', 'locationId', 'ts', 'id'],
      where: 'location_id is not null',
    },
    { name: 'notification_actor', properties: ['actorId', 'orgId', 'id'] },
    {
      name: 'notification_thread',
      properties: ['threadId', 'commentId'],
      where: 'thread_id is not null',
    },
  ],
  uniques: [
    { name: 'notification_ext', properties: ['orgId', 'extId'] },
    { name: 'notification_audience', properties: ['audience'] },
  ],
});
