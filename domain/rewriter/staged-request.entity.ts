import { defineEntity, p } from '@mikro-orm/core';
import { bytes, moment, surrogateKey } from '../columns.ts';

/** A text for a model and its response. `callHash` identifies repeated calls; `calls` counts requests to the provider. */
export const StagedRequestSchema = defineEntity({
  name: 'StagedRequest',
  tableName: 'staged_request',
  properties: {
    id: surrogateKey(),
    publicId: p.text(),
    apiKeyId: p.bigint('string'),
    callHash: bytes().nullable(),
    requestEnc: bytes(),
    answerEnc: bytes().nullable(),
    calls: p.smallint().default(0),
    requestedAt: moment().fieldName('asked_at').defaultRaw('now()'),
  },
  indexes: [
    { name: 'staged_request_asked_at', properties: ['requestedAt'] },
    { name: 'staged_request_key', properties: ['apiKeyId'] },
  ],
  uniques: [
    { name: 'staged_request_public_id', properties: ['publicId'] },
    { name: 'staged_request_call', properties: ['apiKeyId', 'callHash'], where: 'call_hash is not null' },
  ],
});
