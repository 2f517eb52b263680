import { createPublicKey, verify } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from '../../platform/database/orm.ts';
import { row } from '../../platform/database/sql.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { invalidMember } from '../errors.ts';
import { messages } from '../messages.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { pseudonymsOf, type Pseudonym } from './pseudonyms.ts';
import { receiptType, type ReceiptBody } from './receipt.ts';

/** A receipt as its holder sends it: the JWS, and the members of the body that are to agree with it. */
export interface SentReceipt {
  readonly jws: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Coverage extends Pseudonym {
  /** The receipt's deletion was asked for this user. */
  readonly covered: boolean;
}

type Claims = ReceiptBody & { readonly aud?: string };

/**
 * Whether a receipt covers each of the users, also after its job and its own row are gone. Throws INVALID_ARGUMENT for what
 * this deployment has not signed, for another key's, and for one whose body differs from what was signed.
 */
export async function verifyReceipt(
  em: EntityManager,
  keyRing: KeyRing,
  tenant: Tenant,
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

/** The payload, if the JWS is a receipt that this deployment signed, with a key that may have been retired since. */
async function signedClaims(em: EntityManager, jws: string): Promise<Claims | undefined> {
  const [header = '', payload = '', signature = '', ...more] = jws.split('.');
  const { alg, typ, kid } = parsed(header) ?? {};
  if (more.length > 0 || alg !== 'EdDSA' || typ !== receiptType || typeof kid !== 'string') return undefined;
  const found = await row<{ public_key: Buffer }>(
    em,
    `select public_key from signing_key where kid = $1 and purpose = 'receipt' and public_key is not null`,
    [kid],
  );
  if (found === undefined) return undefined;
  const key = createPublicKey({ key: found.public_key, format: 'der', type: 'spki' });
  const bytes = Buffer.from(signature, 'base64url');
  return verify(null, Buffer.from(`${header}.${payload}`), key, bytes)
    ? (parsed(payload) as Claims | undefined)
    : undefined;
}

function parsed(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Receipts of version 0.1 name no audience: their row, kept as long as they are, says whose they are. */
async function isOfTenant(em: EntityManager, tenant: Tenant, { aud, jobId }: Claims): Promise<boolean> {
  if (aud !== undefined) return aud === tenant.apiKey;
  const own = await row(em, 'select 1 from user_data_deletion where api_key_id = $1 and public_id = $2', [
    tenant.id,
    jobId,
  ]);
  return own !== undefined;
}
