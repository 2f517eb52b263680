import { defineEntity, p } from '@mikro-orm/core';
import { bytes, json, moment, now, reference } from '../columns.ts';
import { ApiKeySchema } from '../workspaces/api-key.entity.ts';
import { phaseNumbers, type DeletionPhase } from './deletion-phases.ts';
import type { PersonalDataCounts, StoreCursor } from './stores/personal-data-store.ts';
import type { Receipt, ReceiptBody } from './receipt.ts';

/** Where a walk over the places is: a name, and surrogate keys and times. */
export interface StorePosition {
  readonly place: string;
  readonly after: StoreCursor;
}

/** What a step has done, in the transaction of which it is written down: a repeated one counts once. */
export interface CompletedStep {
  readonly counts: PersonalDataCounts;
  /** Names of places where nothing is left to do. */
  readonly done: readonly string[];
  /** Where the next step begins, unless at the beginning of a place. */
  readonly stand: StorePosition | null;
}

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
    stand: json<StorePosition>().nullable(),
    counts: json<PersonalDataCounts>().defaultRaw("'{}'"),
    lastTaskAt: moment().nullable(),
    verifiedAt: moment().nullable(),
    createdAt: moment().defaultRaw('now()'),
    endedAt: moment().nullable(),
    receipt: json<Receipt | ReceiptBody>().nullable(),
    expiresAt: moment().nullable(),
    jwsEnc: bytes().nullable(),
    usersEnc: bytes().nullable(),
  },
  indexes: [
    { name: 'user_data_deletion_expiry', properties: ['expiresAt'], where: 'expires_at is not null' },
  ],
  uniques: [{ name: 'user_data_deletion_public', properties: ['apiKeyId', 'publicId'] }],
});

/**
 * The status of a deletion and its receipt, kept longer than its job: no foreign key. `organizationIds`: the customer's; null is
 * all. `donePlaces`: where nothing is left to do; `stand`: the position in the current one. Holds no plain id of a person:
 * `usersEnc` holds them encrypted while the job is kept. `receipt`: version 0.1 kept the JWS in it, in place of `jwsEnc`.
 */
export class UserDataDeletion extends UserDataDeletionSchema.class {
  /** Whether it is in one of these phases; null is before the first. */
  isIn(phases: readonly (DeletionPhase | null)[]): boolean {
    return phases.some((phase) => this.phase === (phase === null ? null : phaseNumbers[phase]));
  }

  enter(phase: DeletionPhase): void {
    this.phase = phaseNumbers[phase];
  }

  book({ counts, done, stand }: CompletedStep): void {
    this.counts = plus(this.counts, counts);
    this.donePlaces = [...this.donePlaces, ...done];
    this.stand = stand;
  }

  /** The second scan has found nothing. */
  verify(): void {
    this.verifiedAt = now();
  }

  /** Has these places worked at again. */
  reopen(stores: readonly string[]): void {
    this.enter('deleting');
    this.verifiedAt = null;
    this.stand = null;
    this.donePlaces = this.donePlaces.filter((name) => !stores.includes(name));
  }

  /** A dry run has no receipt. */
  end(receipt: ReceiptBody | null, keptDays: number): void {
    this.endedAt = now();
    this.receipt = receipt;
    this.expiresAt = new Date(Date.now() + keptDays * 86_400_000);
  }
}
UserDataDeletionSchema.setClass(UserDataDeletion);

function plus(one: PersonalDataCounts, other: PersonalDataCounts): PersonalDataCounts {
  const sum: Record<string, number> = { ...one };
  for (const [kind, count] of Object.entries(other)) sum[kind] = (sum[kind] ?? 0) + count;
  return sum;
}
