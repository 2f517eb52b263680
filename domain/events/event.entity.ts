import { defineEntity, p } from '@mikro-orm/core';
import { dailyPartitions, json, moment, surrogateKey } from '../columns.ts';

/**
 * An event for webhooks; one partition per day. `scrubbedAt`: when people were removed from the payload.
 * `traceparent`: W3C trace context of the call that recorded it, null where tracing is off. `advanced`: advanced webhooks
 * were on, so that advanced endpoints receive it.
 */
export const EventSchema = defineEntity({
  name: 'Event',
  tableName: 'event',
  partitionBy: dailyPartitions('event', 'at'),
  properties: {
    apiKeyId: p.bigint('string').primary(),
    at: moment().primary().defaultRaw('now()'),
    id: surrogateKey(),
    orgId: p.bigint('string').nullable(),
    documentId: p.bigint('string').nullable(),
    publicId: p.text(),
    type: p.text(),
    channels: p.array().nullable(),
    payload: json<unknown>().nullable(),
    scrubbedAt: moment().nullable(),
    traceparent: p.text().nullable(),
    advanced: p.boolean().default(true),
  },
  indexes: [{ name: 'event_public', properties: ['publicId'] }],
});
