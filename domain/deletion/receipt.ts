import { sql, type InferResult } from 'kysely';
import { tablesOf } from '../tables.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { signAs } from '../signing/sign-token.ts';
import { currentTokenKey } from '../signing/token-keys.ts';
import { readApiKey } from '../workspaces/api-keys.ts';
import { doneKinds } from './deletion-tasks.ts';
import { personKinds, type PersonCounts, type PersonKind } from './places/place.ts';
import { deletionPlace, pseudonymsOf, sealUsers, usersOf, type DeletionKey } from './pseudonyms.ts';
import { updateDeletion } from './work-deletion.ts';

/** What a deletion did, for an auditor: no name and no id of a person. Times are milliseconds. */
export interface ReceiptBody {
  readonly jobId: string;
  /** The customer's, as sent; null is every organization of the key. */
  readonly organizationIds: readonly string[] | null;
  /** The pseudonym of each user, in their own order. */
  readonly users: readonly string[];
  readonly counts: AllCounts;
  /** Kinds that a cancelled deletion has not, or not wholly, deleted. */
  readonly unfinished: readonly PersonKind[];
  readonly completedAt: number;
  /** When the second scan found nothing; null for one that was cancelled before. */
  readonly verifiedAt: number | null;
}

export interface Receipt extends ReceiptBody {
  /** The body with `iss` and `aud`, signed; checked with `/.well-known/jwks.json`. */
  readonly jws: string;
}

export type AllCounts = Readonly<Record<PersonKind, number>>;

/** Every kind, also those of which nothing was found. */
export function allCounts(counts: PersonCounts): AllCounts {
  return Object.fromEntries(personKinds.map((kind) => [kind, counts[kind] ?? 0])) as AllCounts;
}

/** The `typ` of a receipt's JWS: no token of another kind is taken for a receipt. */
export const receiptType = 'user-data-deletion-receipt+jws';

/** Who signs a receipt: `issuer` is its `iss`, the public URL of the deployment. */
export interface ReceiptSigner {
  readonly keyRing: KeyRing;
  readonly issuer: string;
}

/**
 * In the transaction that ends the deletion, while the ids of the people are still there: stores the signed receipt and
 * the ids, both encrypted, and returns the body. `aud` is the API key.
 */
export async function signReceipt(
  em: EntityManager,
  { keyRing, issuer }: ReceiptSigner,
  { jobId, tenantId }: DeletionKey,
): Promise<ReceiptBody> {
  const deletion = { jobId, tenantId };
  const ended = await endedOf(em, deletion).executeTakeFirstOrThrow();
  const userIds = await usersOf(em, deletion);
  const pseudonyms = await pseudonymsOf(em, keyRing, tenantId, userIds);
  const body = bodyOf(
    ended,
    pseudonyms.map(({ pseudonym }) => pseudonym),
  );
  const key = await currentTokenKey(em, keyRing, 'receipt');
  const aud = await readApiKey(em, keyRing, tenantId);
  const jws = await signAs(receiptType, key, { iss: issuer, aud, ...body });
  const sealed = keyRing.encrypt(jws, deletionPlace('jws_enc', deletion));
  await updateDeletion(em, deletion)
    .set({ jws_enc: sealed, users_enc: sealUsers(keyRing, deletion, userIds) })
    .execute();
  return body;
}

const endedOf = (em: EntityManager, { jobId, tenantId }: DeletionKey) =>
  tablesOf(em)
    .selectFrom('user_data_deletion')
    .select(['public_id', 'organization_ids', 'counts', 'done_places'])
    .select(sql<number>`floor(extract(epoch from now()) * 1000)::float8`.as('completed_at'))
    .select(sql<number | null>`floor(extract(epoch from verified_at) * 1000)::float8`.as('verified_at'))
    .where('job_id', '=', jobId)
    .where('api_key_id', '=', tenantId);

type EndedRow = InferResult<ReturnType<typeof endedOf>>[number];

function bodyOf(ended: EndedRow, pseudonyms: readonly string[]): ReceiptBody {
  const verified = ended.verified_at !== null;
  const done = new Set(doneKinds(ended.done_places));
  return {
    jobId: ended.public_id,
    organizationIds: ended.organization_ids,
    // In their own order: that of the userIds would tell something of them.
    users: pseudonyms.toSorted(),
    counts: allCounts(ended.counts),
    unfinished: verified ? [] : personKinds.filter((kind) => !done.has(kind)),
    completedAt: ended.completed_at,
    verifiedAt: ended.verified_at,
  };
}

/** The receipt as it is stored; version 0.1 kept the JWS beside the body. */
export function openReceipt(
  keyRing: KeyRing,
  key: DeletionKey,
  { receipt, jws_enc: sealed }: { readonly receipt: Receipt | null; readonly jws_enc: Buffer | null },
): Receipt | null {
  if (receipt === null || sealed === null) return receipt;
  return { ...receipt, jws: keyRing.decrypt(sealed, deletionPlace('jws_enc', key)) };
}
