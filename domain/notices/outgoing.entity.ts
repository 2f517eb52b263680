import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, json, moment, surrogateKey } from '../columns.ts';
import type { StoredAttempt } from './attempt.ts';
import { channelNumbers } from './channels.ts';

/** A delivery that has not ended. Its notices refer to it by `deliveryId`. */
export const OutgoingSchema = defineEntity({
  name: 'Outgoing',
  tableName: 'outgoing',
  properties: {
    id: surrogateKey(),
    publicId: p.text(),
    apiKeyId: p.bigint('string'),
    orgId: p.bigint('string'),
    userId: p.bigint('string'),
    channel: p.enum(channelNumbers),
    digest: p.boolean(),
    attempts: json<readonly StoredAttempt[]>().defaultRaw(`'[]'`),
    nextAt: moment(),
    /** When the claim of a sender lapses. */
    claimedUntil: moment().nullable(),
    createdAt: createdAt(),
  },
  indexes: [
    { name: 'outgoing_due', properties: ['apiKeyId', 'channel', 'nextAt'] },
    { name: 'outgoing_user', properties: ['userId', 'orgId', 'id'] },
    { name: 'outgoing_org', properties: ['orgId', 'createdAt', 'id'] },
  ],
  uniques: [{ name: 'outgoing_public', properties: ['publicId'] }],
});
