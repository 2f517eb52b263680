import { defineEntity, p } from '@mikro-orm/core';
import { moment } from '../columns.ts';
import { channelNumbers } from './channels.ts';

/**
 * The time from which a channel of a key may claim its next deliveries. No row: it has claimed none, or has no rate
 * limit.
 */
export const ChannelPaceSchema = defineEntity({
  name: 'ChannelPace',
  tableName: 'channel_pace',
  properties: {
    apiKeyId: p.bigint('string').primary(),
    channel: p.enum(channelNumbers).primary(),
    nextAt: moment(),
  },
});
