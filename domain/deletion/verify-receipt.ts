import { createPublicKey, type KeyObject } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { errors, jwtVerify } from 'jose';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { tablesOf } from '../tables.ts';
import { invalidMember } from '../errors.ts';
import { messages } from '../messages.ts';
import type { CallingTenant } from '../tenancy/tenant.ts';
import { pseudonymsOf, type Pseudonym } from '../signing/pseudonyms.ts';
import { receiptType } from './receipt.ts';
import type { ReceiptBody } from './user-data-deletion.entity.ts';

/** A receipt as sent: the JWS, and the members of the body that must match it. */
export interface SentReceipt {
  readonly jws: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Whether a receipt covers one user. */
export interface Coverage extends Pseudonym {
  /** Whether the receipt's deletion was requested for this user. */
  readonly covered: boolean;
}

type Claims = ReceiptBody & { readonly aud?: string };

/**
 * Returns for each user whether a receipt covers the user, even after the receipt's row is deleted. Throws
 * INVALID_ARGUMENT for a receipt that this deployment did not sign, that belongs to another API key, or whose body
 * differs from the JWS.
 */
export async function verifyReceipt(
  em: EntityManager,
  keyRing: KeyRing,
  tenant: CallingTenant,
  { receipt, userIds }: { readonly receipt: SentReceipt; readonly userIds: readonly string[] },
): Promise<Coverage[]> {
  const claims = await signedClaims(em, receipt.jws);
  const agrees = Object.entries(receipt.body).every(([name, value]) =>
    isDeepStrictEqual(value, (claims as Record<string, unknown> | undefined)?.[name]),
  );
  if (claims === undefined || !agrees || !(await isOfTenant(em, tenant, claims)))
    throw invalidMember('receipt', messages.receiptNotValid);
  const covered = new Set(claims.users);
  const named = await pseudonymsOf(em, keyRing, tenant.id, userIds);
  return named.map((person) => ({ ...person, covered: covered.has(person.pseudonym) }));
}

/** Returns the payload of a receipt that this deployment signed with a current or retired key; otherwise undefined. */
async function signedClaims(em: EntityManager, jws: string): Promise<Claims | undefined> {
  try {
    const keyOf = async ({ kid }: { readonly kid?: unknown }): Promise<KeyObject> => receiptKey(em, kid);
    const { payload } = await jwtVerify<Claims>(jws, keyOf, { algorithms: ['EdDSA'], typ: receiptType });
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

/** Returns the public key of a current or retired receipt key. */
async function receiptKey(em: EntityManager, kid: unknown): Promise<KeyObject> {
  // PostgreSQL rejects a text with NUL.
  if (typeof kid !== 'string' || kid.includes('\0')) throw new errors.JWKSNoMatchingKey();
  const found = await tablesOf(em)
    .selectFrom('signing_key')
    .select('public_key')
    .where('kid', '=', kid)
    .where('purpose', '=', 'receipt')
    .where('public_key', 'is not', null)
    .$narrowType<{ public_key: Buffer }>()
    .executeTakeFirst();
  if (found === undefined) throw new errors.JWKSNoMatchingKey();
  return createPublicKey({ key: found.public_key, format: 'der', type: 'spki' });
}

/** Receipts of version 0.1 have no audience: their row, kept as long as the receipt, names the tenant. */
async function isOfTenant(
  em: EntityManager,
  tenant: CallingTenant,
  { aud, jobId }: Claims,
): Promise<boolean> {
  if (aud !== undefined) return aud === tenant.apiKey;
  const own = await tablesOf(em)
    .selectFrom('user_data_deletion')
    .select('job_id')
    .where('api_key_id', '=', tenant.id)
    .where('public_id', '=', jobId)
    .executeTakeFirst();
  return own !== undefined;
}
