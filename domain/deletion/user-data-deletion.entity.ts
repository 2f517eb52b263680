import { defineEntity, p } from '@mikro-orm/core';
import { dayMs } from '../../platform/units.ts';
import { bytes, json, moment, now, reference } from '../columns.ts';
import { ApiKeySchema } from '../workspaces/api-key.entity.ts';
import { phaseNumbers, type DeletionPhase } from './deletion-phases.ts';
import type { PersonalDataCounts, PersonalDataKind, StoreCursor } from './stores/personal-data-store.ts';

/** The result of a deletion, without any id of a person. Times are milliseconds since the epoch. */
export interface ReceiptBody {
  readonly jobId: string;
  /** Customer's ids as sent; null means every organization of the API key. */
  readonly organizationIds: readonly string[] | null;
  /** The users' pseudonyms, sorted. */
  readonly users: readonly string[];
  /** A receipt of an earlier release has no count for kinds that it did not know. */
  readonly counts: PersonalDataCounts;
  /** Kinds that a canceled deletion did not delete completely. */
  readonly unfinished: readonly PersonalDataKind[];
  readonly completedAt: number;
  /** When the verification scan found nothing; null for a canceled deletion. */
  readonly verifiedAt: number | null;
}

/** A receipt with its signature. */
export interface Receipt extends ReceiptBody {
  /** The body with `iss` and `aud`, signed; checked with `/.well-known/jwks.json`. */
  readonly jws: string;
}

/** The position in the stores: the name of one, and a cursor in it. */
export interface StorePosition {
  readonly store: string;
  readonly after: StoreCursor;
}

/** A `StorePosition` as persisted. `place` is the name of the store, as earlier releases write it. */
interface StoredPosition {
  readonly place: string;
  readonly after: StoreCursor;
}

/** The result of a batch. The batch's transaction records it, so a repeated batch counts once. */
export interface CompletedStep {
  readonly counts: PersonalDataCounts;
  /** Names of completed stores. */
  readonly done: readonly string[];
  /** The position of the next batch; null at the start of a store. */
  readonly position: StorePosition | null;
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
    doneStores: p.array().fieldName('done_places').default([]),
    position: json<StoredPosition>().fieldName('stand').nullable(),
    counts: json<PersonalDataCounts>().defaultRaw("'{}'"),
    lastTaskAt: moment().nullable(),
    verifiedAt: moment().nullable(),
    verifiedStores: p.array().nullable(),
    revision: p
      .integer()
      .default(0)
      .onUpdate(({ revision }: { readonly revision: number }) => revision + 1),
    createdAt: moment().defaultRaw('now()'),
    endedAt: moment().nullable(),
    receipt: json<Receipt | ReceiptBody>().nullable(),
    expiresAt: moment().nullable(),
    jwsEnc: bytes().nullable(),
    usersEnc: bytes().nullable(),
    journaledAt: moment().nullable(),
  },
  indexes: [
    {
      name: 'user_data_deletion_unjournaled',
      properties: ['jobId'],
      where: 'verified_at is not null and journaled_at is null and users_enc is not null',
    },
    { name: 'user_data_deletion_expiry', properties: ['expiresAt'], where: 'expires_at is not null' },
  ],
  uniques: [{ name: 'user_data_deletion_public', properties: ['apiKeyId', 'publicId'] }],
});

/**
 * The status and receipt of a deletion; it outlives its job, so it has no foreign key. `organizationIds` null means all.
 * `doneStores`: names of completed stores. `verifiedStores`: names of those that the verification scan covered; null
 * before it, and when an earlier release scanned. `revision`: by it the database recognizes changes by release 0.2.0,
 * which leave it as it is and fail when the deletion has records that 0.2.0 does not know. `usersEnc`: userIds,
 * encrypted while the job is kept. `receipt`: the `storedReceipt`; version 0.1 stored the JWS in it instead of in
 * `jwsEnc`. `journaledAt`: when the deletion was in the journal.
 */
export class UserDataDeletion extends UserDataDeletionSchema.class {
  /** Whether the deletion is in one of these phases; null is before the first. */
  isIn(phases: readonly (DeletionPhase | null)[]): boolean {
    return phases.some((phase) => this.phase === (phase === null ? null : phaseNumbers[phase]));
  }

  enter(phase: DeletionPhase): void {
    this.phase = phaseNumbers[phase];
  }

  /**
   * The stores that are not completed, the one of the position first. A release may change the order of the stores, and
   * a dry run that left a begun store would count it again.
   */
  openStores<Store extends { readonly name: string }>(stores: readonly Store[]): readonly Store[] {
    const open = stores.filter(({ name }) => !this.doneStores.includes(name));
    const begun = open.filter(({ name }) => name === this.position?.place);
    return begun.length === 0 ? open : [...new Set([...begun, ...open])];
  }

  /** The cursor at which a store continues; null at its start. */
  cursorIn(store: string): StoreCursor | null {
    return this.position?.place === store ? this.position.after : null;
  }

  record({ counts, done, position }: CompletedStep): void {
    this.counts = plus(this.counts, counts);
    this.doneStores = [...this.doneStores, ...done];
    this.position = position === null ? null : { place: position.store, after: position.after };
  }

  /** Records that the verification scan of these stores found nothing. */
  verify(stores: readonly string[]): void {
    this.verifiedAt = now();
    this.verifiedStores = [...stores];
  }

  /** Whether the verification scan found nothing in these stores. An earlier release does not know all of them. */
  isVerifiedIn(stores: readonly string[]): boolean {
    return this.verifiedAt !== null && stores.every((name) => this.verifiedStores?.includes(name) === true);
  }

  /** Returns to the phase `deleting` for these stores. */
  reopen(stores: readonly string[]): void {
    this.enter('deleting');
    this.verifiedAt = null;
    this.verifiedStores = null;
    this.position = null;
    this.doneStores = this.doneStores.filter((name) => !stores.includes(name));
  }

  /** `receipt` is null for a dry run. */
  end(receipt: ReceiptBody | null, retentionDays: number): void {
    this.endedAt = now();
    this.receipt = receipt;
    this.expiresAt = new Date(Date.now() + retentionDays * dayMs);
  }
}
UserDataDeletionSchema.setClass(UserDataDeletion);

function plus(one: PersonalDataCounts, other: PersonalDataCounts): PersonalDataCounts {
  const sum: Record<string, number> = { ...one };
  for (const [kind, count] of Object.entries(other)) sum[kind] = (sum[kind] ?? 0) + count;
  return sum;
}
