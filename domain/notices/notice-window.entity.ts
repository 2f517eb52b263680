import { defineEntity, p } from '@mikro-orm/core';
import { moment } from '../columns.ts';
import { channelNumbers } from './channels.ts';

/** An open window of a user on a channel, for one document or, with `documentId` 0, for the organization. */
export const NoticeWindowSchema = defineEntity({
  name: 'NoticeWindow',
  tableName: 'notice_window',
  properties: {
    userId: p.bigint('string').primary(),
    channel: p.enum(channelNumbers).primary(),
    orgId: p.bigint('string').primary(),
    documentId: p.bigint('string').primary(),
    apiKeyId: p.bigint('string'),
    closesAt: moment(),
  },
  indexes: [{ name: 'notice_window_due', properties: ['apiKeyId', 'channel', 'closesAt'] }],
});
