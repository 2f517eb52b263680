import { defineEntity, p } from '@mikro-orm/core';
import { moment } from '../columns.ts';

/**
 * The deletion of an API key, with the signed receipt once it is verified. It outlives its job and the key, so it has no
 * foreign key; `keyId` is the key's public id, and `publicId` the job's.
 */
export const KeyDeletionSchema = defineEntity({
  name: 'KeyDeletion',
  tableName: 'key_deletion',
  properties: {
    jobId: p.bigint('string').primary().autoincrement(false),
    publicId: p.text().unique(),
    workspaceId: p.bigint('string'),
    keyId: p.text(),
    requestedAt: moment().defaultRaw('now()'),
    removedRows: p.bigint('string').nullable(),
    verifiedAt: moment().nullable(),
    jws: p.text().nullable(),
    journaledAt: moment().nullable(),
  },
  indexes: [
    { name: 'key_deletion_verified', properties: ['verifiedAt'], where: 'verified_at is not null' },
    {
      name: 'key_deletion_unjournaled',
      properties: ['jobId'],
      where: 'verified_at is not null and journaled_at is null',
    },
  ],
});
