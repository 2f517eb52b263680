import { defineEntity, p } from '@mikro-orm/core';
import { bytes, customerId, json, keys, reference, surrogateKey } from '../columns.ts';
import { DocumentSchema } from '../documents/document.entity.ts';

/** A recording as sent, without members stored in columns. */
export interface RecordingBody {
  readonly [member: string]: unknown;
}

/** `mentioned`: keys of users named in the free JSON of `body`. Times are milliseconds since the epoch. */
export const RecordingSchema = defineEntity({
  name: 'Recording',
  tableName: 'recording',
  properties: {
    id: surrogateKey(),
    apiKeyId: p.bigint('string'),
    orgId: p.bigint('string'),
    documentId: reference(DocumentSchema, 'document_id'),
    extId: customerId('ext_id'),
    creatorId: p.bigint('string').nullable(),
    createdAt: p.bigint('string'),
    updatedAt: p.bigint('string'),
    mentioned: keys().default([]),
    contentHash: bytes().nullable(),
    body: json<RecordingBody>(),
  },
  indexes: [
    { name: 'recording_document', properties: ['documentId', 'updatedAt', 'id'] },
    { name: 'recording_org', properties: ['orgId', 'updatedAt', 'id'] },
    { name: 'recording_creator', properties: ['creatorId', 'orgId', 'id'] },
  ],
  uniques: [{ name: 'recording_ext', properties: ['orgId', 'extId', 'documentId'] }],
});
