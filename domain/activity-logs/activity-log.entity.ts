import { defineEntity, p } from '@mikro-orm/core';
import { bytes, customerId, json, keys, reference, surrogateKey } from '../columns.ts';
import { DocumentSchema } from '../documents/document.entity.ts';
import type { ActivityLogBody, FeatureType } from './activity-log.ts';

/** Numbers are stored, so a number is never reused. */
export const featureNumbers = {
  comment: 1,
  reaction: 2,
  recorder: 3,
  crdt: 4,
  custom: 5,
} as const satisfies Record<FeatureType, number>;

/** `ts`: milliseconds since the epoch, as sent. `mentioned`: keys of users named in the free JSON of `body`. */
export const ActivityLogSchema = defineEntity({
  name: 'ActivityLog',
  tableName: 'activity',
  properties: {
    id: surrogateKey(),
    apiKeyId: p.bigint('string'),
    orgId: p.bigint('string'),
    documentId: reference(DocumentSchema, 'document_id'),
    extId: customerId('ext_id'),
    ts: p.bigint('string'),
    feature: p.enum(featureNumbers),
    actionType: p.text(),
    actorId: p.bigint('string'),
    targetEntityId: customerId('target_entity_id').nullable(),
    mentioned: keys().default([]),
    contentHash: bytes(),
    body: json<ActivityLogBody>(),
  },
  indexes: [
    { name: 'activity_document', properties: ['documentId', 'ts', 'id'] },
    { name: 'activity_org', properties: ['orgId', 'ts', 'id'] },
    { name: 'activity_actor', properties: ['actorId', 'orgId', 'ts', 'id'] },
    {
      name: 'activity_target',
      properties: ['orgId', 'targetEntityId', 'ts', 'id'],
      where: 'target_entity_id is not null',
    },
    {
      name: 'activity_naming',
      properties: ['actorId', 'orgId', 'ts', 'id'],
      where: "mentioned <> '{}'",
    },
  ],
  uniques: [{ name: 'activity_ext', properties: ['orgId', 'extId'] }],
});
