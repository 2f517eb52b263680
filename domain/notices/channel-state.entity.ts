import { defineEntity, p } from '@mikro-orm/core';
import { moment } from '../columns.ts';
import { channelNumbers } from './channels.ts';
import { heldReasons } from './statuses.ts';

/** A held channel of a key. No row: the channel sends. */
export const ChannelStateSchema = defineEntity({
  name: 'ChannelState',
  tableName: 'channel_state',
  properties: {
    apiKeyId: p.bigint('string').primary(),
    channel: p.enum(channelNumbers).primary(),
    reason: p.enum(heldReasons).nullable(),
    since: moment().nullable(),
    nextTry: moment().nullable(),
  },
});
