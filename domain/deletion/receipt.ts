import { decodeJwt } from 'jose';
import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { epochMilliseconds } from '../sql-times.ts';
import { tablesOf } from '../tables.ts';
import { signAs } from '../signing/sign-token.ts';
import { currentTokenKey } from '../signing/token-keys.ts';
import { readApiKey } from '../workspaces/read-api-key.ts';
import { pseudonymsOf } from '../signing/pseudonyms.ts';
import { doneKinds } from './deletion-tasks.ts';
import {
  laterKinds,
  personalDataKinds,
  type PersonalDataCounts,
  type PersonalDataKind,
} from './stores/personal-data-store.ts';
import { deletionContext, sealUsers, readDeletionUsers, type DeletionKey } from './deletion-users.ts';
import type { UserDataDeletion, Receipt, ReceiptBody } from './user-data-deletion.entity.ts';

/** A count for every kind. */
export type AllCounts = Readonly<Record<PersonalDataKind, number>>;

/** Adds a zero for each kind without a count. */
export function allCounts(counts: PersonalDataCounts): AllCounts {
  return Object.fromEntries(personalDataKinds.map((kind) => [kind, counts[kind] ?? 0])) as AllCounts;
}

/** The `typ` of a receipt's JWS, so that no other token passes as a receipt. */
export const receiptType = 'user-data-deletion-receipt+jws';

/** `issuer`: the `iss` of receipts, the public URL of the deployment. */
export interface ReceiptSigner {
  readonly keyRing: KeyRing;
  readonly issuer: string;
}

/**
 * Signs the receipt and stores it and the userIds encrypted with the deletion. Returns the body. `aud` is the API key.
 * Call it in the transaction that ends the deletion, before the userIds are cleared.
 */
export async function signReceipt(
  em: EntityManager,
  { keyRing, issuer }: ReceiptSigner,
  deletion: UserDataDeletion,
): Promise<ReceiptBody> {
  const { jobId, apiKeyId: tenantId } = deletion;
  const userIds = await readDeletionUsers(em, { jobId, tenantId });
  const pseudonyms = await pseudonymsOf(em, keyRing, tenantId, userIds);
  const completedAt = epochMilliseconds(sql`now()`).as('completedAt');
  const time = await tablesOf(em).selectNoFrom(completedAt).executeTakeFirstOrThrow();
  const users = pseudonyms.map(({ pseudonym }) => pseudonym);
  const body = { ...bodyOf(deletion, users), ...time };
  const key = await currentTokenKey(em, keyRing, 'receipt');
  const aud = await readApiKey(em, keyRing, tenantId);
  const jws = await signAs(receiptType, key, { iss: issuer, aud, ...body });
  deletion.jwsEnc = keyRing.encrypt(jws, deletionContext('jws_enc', { jobId, tenantId }));
  deletion.usersEnc = sealUsers(keyRing, { jobId, tenantId }, userIds);
  return body;
}

function bodyOf(ended: UserDataDeletion, pseudonyms: readonly string[]): Omit<ReceiptBody, 'completedAt'> {
  const done = new Set(doneKinds(ended.doneStores));
  return {
    jobId: ended.publicId,
    organizationIds: ended.organizationIds ?? null,
    // Sorted, because the order of the request would link pseudonyms to userIds.
    users: pseudonyms.toSorted(),
    counts: allCounts(ended.counts),
    unfinished: ended.verifiedAt ? [] : personalDataKinds.filter((kind) => !done.has(kind)),
    verifiedAt: ended.verifiedAt?.getTime() ?? null,
  };
}

/** The form of the column `receipt`, without kinds that release 0.2.0 does not know: it refuses receipts that have them. */
export const storedReceipt = (body: ReceiptBody): ReceiptBody => ({
  ...body,
  counts: Object.fromEntries(
    Object.entries(body.counts).filter(([kind]) => !laterKinds.has(kind as PersonalDataKind)),
  ),
  unfinished: body.unfinished.filter((kind) => !laterKinds.has(kind)),
});

/** Decrypts the JWS of a stored receipt, which has the kinds that the row lacks. Version 0.1 stored it in the row. */
export function openReceipt(
  keyRing: KeyRing,
  key: DeletionKey,
  {
    receipt,
    jws_enc: sealed,
  }: { readonly receipt: Receipt | ReceiptBody | null; readonly jws_enc: Buffer | null },
): Receipt | null {
  if (receipt === null || sealed === null) return receipt as Receipt | null;
  const jws = keyRing.decrypt(sealed, deletionContext('jws_enc', key));
  const { counts, unfinished } = decodeJwt<ReceiptBody>(jws);
  return { ...receipt, counts, unfinished, jws };
}
