import { defineEntity, p } from '@mikro-orm/core';
import { bytes, customerId, json, keys, reference, surrogateKey } from '../columns.ts';
import { DocumentSchema } from '../documents/document.entity.ts';

/** Numbers are stored, so a number is never reused. */
export const featureNumbers = {
  comment: 1,
  reaction: 2,
  recorder: 3,
  crdt: 4,
  custom: 5,
} as const;

/** The feature that an activity log belongs to. */
export type FeatureType = keyof typeof featureNumbers;

/** An activity log as sent. `writeBody` selects the members that are stored. */
export interface ActivityLogBody {
  readonly featureType: FeatureType;
  readonly actionType: string;
  readonly actionUser: { readonly userId: string; readonly email?: unknown };
  readonly targetEntityId?: string | undefined;
  readonly changes?: unknown;
  readonly entityData?: unknown;
  readonly entityTargetData?: unknown;
  readonly displayMessageTemplateData?: unknown;
  readonly [member: string]: unknown;
}

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
