import { defineEntity, p, sql } from '@mikro-orm/core';
import { createdAt, moment, surrogateKey } from '../columns.ts';
import { channelNumbers } from './channels.ts';
import { noticeStates, whyNumbers } from './statuses.ts';

/**
 * An unsent notification for one user on one channel. No foreign keys: the sender detects that its notification, document
 * or user is deleted. `verify`: the user needs access to the document when it is sent. `audience`: the notification's
 * audience when it was planned. `inInbox`: the user had an inbox entry, whose removal ends the notice.
 */
export const NoticeSchema = defineEntity({
  name: 'Notice',
  tableName: 'notice',
  properties: {
    id: surrogateKey(),
    apiKeyId: p.bigint('string'),
    orgId: p.bigint('string'),
    documentId: p.bigint('string'),
    userId: p.bigint('string'),
    notificationId: p.bigint('string'),
    channel: p.enum(channelNumbers),
    state: p.enum(noticeStates),
    why: p.enum(whyNumbers),
    verify: p.boolean(),
    audience: p.bigint('string'),
    inInbox: p.boolean(),
    dueAt: moment(),
    deliveryId: p.bigint('string').nullable(),
    createdAt: createdAt(),
  },
  indexes: [
    {
      name: 'notice_once',
      expression: () =>
        sql`create unique index notice_once on notice (notification_id, user_id, channel, delivery_id) nulls not distinct`,
    },
    {
      name: 'notice_due',
      properties: ['apiKeyId', 'channel', 'dueAt'],
      where: `state = ${String(noticeStates.waiting)}`,
    },
    { name: 'notice_user', properties: ['userId', 'orgId', 'channel', 'documentId', 'id'] },
    { name: 'notice_delivery', properties: ['deliveryId'], where: 'delivery_id is not null' },
  ],
});
