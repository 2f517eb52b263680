import { defineEntity, p } from '@mikro-orm/core';
import { bytes, json, moment, reference } from '../columns.ts';
import { ApiKeySchema } from '../workspaces/api-key.entity.ts';
import { phaseNumbers } from './deletion-phases.ts';
import type { PersonCounts } from './places/place.ts';
import type { Receipt } from './receipt.ts';
import type { Stand } from './work-deletion.ts';

/**
 * The status of a deletion and its receipt, kept longer than its job: no foreign key. `organizationIds`: the customer's; null is
 * all. `donePlaces`: where nothing is left to do; `stand`: the position in the current one. Holds no plain id of a person:
 * `usersEnc` holds them encrypted while the job is kept. `receipt`: where version 0.1 wrote it, in place of `jwsEnc`.
 */
export const UserDataDeletionSchema = defineEntity({
  name: 'UserDataDeletion',
  tableName: 'user_data_deletion',
  properties: {
    jobId: p.bigint('string').primary().autoincrement(false),
    apiKeyId: reference(ApiKeySchema, 'api_key_id'),
    publicId: p.text(),
    dryRun: p.boolean(),
    users: p.integer(),
    organizationIds: json<string[]>().nullable(),
    phase: p.enum(phaseNumbers).nullable(),
    donePlaces: p.array().default([]),
    stand: json<Stand>().nullable(),
    counts: json<PersonCounts>().defaultRaw("'{}'"),
    lastTaskAt: moment().nullable(),
    verifiedAt: moment().nullable(),
    createdAt: moment().defaultRaw('now()'),
    endedAt: moment().nullable(),
    receipt: json<Receipt>().nullable(),
    expiresAt: moment().nullable(),
    jwsEnc: bytes().nullable(),
    usersEnc: bytes().nullable(),
  },
  indexes: [
    { name: 'user_data_deletion_expiry', properties: ['expiresAt'], where: 'expires_at is not null' },
  ],
  uniques: [{ name: 'user_data_deletion_public', properties: ['apiKeyId', 'publicId'] }],
});
