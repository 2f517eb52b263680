import { defineEntity, p } from '@mikro-orm/core';
import { moment, reference } from '../columns.ts';
import { CrdtSchema } from './crdt.entity.ts';

/** A record written since its last event. One row per record coalesces the writes of 5 s into one event. */
export const CrdtEventSchema = defineEntity({
  name: 'CrdtEvent',
  tableName: 'crdt_event',
  properties: {
    crdtId: reference(CrdtSchema, 'crdt_id').primary(),
    apiKeyId: p.bigint('string'),
    dueAt: moment(),
  },
  indexes: [{ name: 'crdt_event_due', properties: ['dueAt'] }],
});
