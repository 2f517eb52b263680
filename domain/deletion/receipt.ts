import { row, rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { signAs } from '../signing/sign-token.ts';
import { currentTokenKey } from '../signing/token-keys.ts';
import { readApiKey } from '../workspaces/api-keys.ts';
import { doneKinds } from './deletion-tasks.ts';
import { personKinds, type PersonCounts, type PersonKind } from './places/place.ts';
import { deletionPlace, pseudonymsOf, sealUsers, usersOf, type DeletionKey } from './pseudonyms.ts';

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

interface EndedRow {
  readonly public_id: string;
  readonly organization_ids: readonly string[] | null;
  readonly counts: PersonCounts;
  readonly done_places: readonly string[];
  readonly completed_at: number;
  readonly verified_at: number | null;
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
  const ended = await row<EndedRow>(
    em,
    `select public_id, organization_ids, counts, done_places, floor(extract(epoch from now()) * 1000)::float8 as completed_at,
       floor(extract(epoch from verified_at) * 1000)::float8 as verified_at
     from user_data_deletion where job_id = $1 and api_key_id = $2`,
    [jobId, tenantId],
  );
  if (ended === undefined) throw new Error('missing row for a deletion that ends');
  const userIds = await usersOf(em, deletion);
  const pseudonyms = await pseudonymsOf(em, keyRing, tenantId, userIds);
  const body = bodyOf(
    ended,
    pseudonyms.map(({ pseudonym }) => pseudonym),
  );
  const key = await currentTokenKey(em, keyRing, 'receipt');
  const aud = await readApiKey(em, keyRing, tenantId);
  const jws = await signAs(receiptType, key, { iss: issuer, aud, ...body });
  await rows(
    em,
    'update user_data_deletion set jws_enc = $3, users_enc = $4 where job_id = $1 and api_key_id = $2',
    [
      jobId,
      tenantId,
      keyRing.encrypt(jws, deletionPlace('jws_enc', deletion)),
      sealUsers(keyRing, deletion, userIds),
    ],
  );
  return body;
}

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
