import { defineEntity, p } from '@mikro-orm/core';
import { bytes, byteText, customerId, json, reference, surrogateKey } from '../columns.ts';
import { DocumentSchema } from '../documents/document.entity.ts';
import type { ThreadBody } from './thread.ts';

/* Numbers are stored, so a number is never reused. */
export const threadKindNumbers = { comment: 1, suggestion: 2 } as const;
export const suggestionStatusNumbers = { pending: 1, accepted: 2, rejected: 3 } as const;
export const visibilityNumbers = { public: 0, organizationPrivate: 1, restricted: 2 } as const;
export const agentTypeNumbers = { 'built-in': 1, custom: 2, external: 3 } as const;

/**
 * A comment annotation: a location in a document, a status, and comments. Times are milliseconds since the epoch.
 * `contentBytes`: JSON bytes of all comments and reactions. `lastCommentId`: the largest comment id ever used.
 * `contentHash`: the hash of the item that created it; null once a person in it was deleted.
 */
export const ThreadSchema = defineEntity({
  name: 'Thread',
  tableName: 'thread',
  properties: {
    id: surrogateKey(),
    apiKeyId: p.bigint('string'),
    orgId: p.bigint('string'),
    documentId: reference(DocumentSchema, 'document_id'),
    extId: customerId('ext_id'),
    locationId: customerId('location_id').nullable(),
    creatorId: p.bigint('string').nullable(),
    statusId: byteText(),
    kind: p.enum(threadKindNumbers),
    suggestion: p.enum(suggestionStatusNumbers).nullable(),
    visibility: p.enum(visibilityNumbers).default(0),
    resolverId: p.bigint('string').nullable(),
    lastActorId: p.bigint('string').nullable(),
    agentId: byteText().nullable(),
    agentType: p.enum(agentTypeNumbers).nullable(),
    createdAt: p.bigint('string'),
    updatedAt: p.bigint('string'),
    lastCommentId: p.bigint('string').defaultRaw('0'),
    commentCount: p.integer().default(0),
    reactionCount: p.integer().default(0),
    contentBytes: p.integer().default(0),
    contentHash: bytes().nullable(),
    body: json<ThreadBody>(),
  },
  indexes: [
    { name: 'thread_document', properties: ['documentId', 'updatedAt', 'id'] },
    { name: 'thread_org', properties: ['orgId', 'updatedAt', 'id'] },
    { name: 'thread_creator', properties: ['creatorId', 'orgId', 'updatedAt', 'id'] },
  ],
  uniques: [{ name: 'thread_ext', properties: ['orgId', 'extId', 'documentId'] }],
});
