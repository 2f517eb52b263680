import { defineEntity, p } from '@mikro-orm/core';
import { bytes, reference } from '../columns.ts';
import { CrdtSchema } from './crdt.entity.ts';

/** A Yjs update not merged into the state yet. `seq`: the version that it created. */
export const CrdtUpdateSchema = defineEntity({
  name: 'CrdtUpdate',
  tableName: 'crdt_update',
  properties: {
    crdtId: reference(CrdtSchema, 'crdt_id').primary(),
    seq: p.bigint('string').primary(),
    apiKeyId: p.bigint('string'),
    bytes: bytes(),
  },
});
