import { bytesOfBase64, bytesOfText } from './base64.ts';

/**
 * A receipt is damaged, has another issuer or API key, or was signed with an unknown key. Or this runtime cannot verify it:
 * its WebCrypto lacks Ed25519.
 */
export class ReceiptVerificationError extends Error {
  override readonly name = 'ReceiptVerificationError';
}

/** Public keys, as `/.well-known/jwks.json` returns them. */
export interface Jwks {
  readonly keys: readonly {
    readonly kid?: string;
    readonly kty: string;
    readonly crv?: string;
    readonly x?: string;
  }[];
}

/** A user of a deletion, and the user's pseudonym in its receipt. */
export interface Pseudonym {
  readonly userId: string;
  readonly pseudonym: string;
}

/** The signed claims of a receipt. */
export interface ReceiptClaims {
  /** The deployment that signed the receipt. */
  readonly iss: string;
  /** The API key whose data was deleted. Absent in receipts of version 0.1. */
  readonly aud?: string;
  readonly jobId: string;
  /** The organizations of the deletion; null for the whole API key. */
  readonly organizationIds: readonly string[] | null;
  /** Pseudonyms of the users. */
  readonly users: readonly string[];
  /** Deleted records by kind. */
  readonly counts: Readonly<Record<string, number>>;
  /** Stores that were not completely deleted. */
  readonly unfinished: readonly string[];
  /** Milliseconds since the epoch. */
  readonly completedAt: number;
  /** When the verification scan found nothing; null for a deletion that was canceled. */
  readonly verifiedAt: number | null;
  readonly [claim: string]: unknown;
}

export interface VerifiedReceipt {
  readonly claims: ReceiptClaims;
  /** Whether the deletion was requested for each of `userIds`. */
  readonly covered: Readonly<Record<string, boolean>>;
}

export interface ReceiptOptions {
  readonly jwks: Jwks;
  /** The expected `iss`: STEWARD_PUBLIC_URL of the deployment. Not compared when absent. */
  readonly issuer?: string | undefined;
  /** The expected `aud`: the API key. Not compared when absent. Receipts of version 0.1 have none, and are refused. */
  readonly audience?: string | undefined;
  /** Users to look up in the receipt. Each needs its pseudonym. */
  readonly userIds?: readonly string[] | undefined;
  /** The pairs of the deletion's status. Only the deployment can compute pseudonyms. */
  readonly pseudonyms?: readonly Pseudonym[] | undefined;
}

const type = 'user-data-deletion-receipt+jws';

/** Verifies the receipt of a user data deletion without a server. Throws a ReceiptVerificationError. */
async function verify(jws: string, options: ReceiptOptions): Promise<VerifiedReceipt> {
  const claims = await claimsOf(jws, options.jwks);
  for (const [claim, expected] of [
    ['iss', options.issuer],
    ['aud', options.audience],
  ] as const) {
    if (expected === undefined || claims[claim] === expected) continue;
    throw refused(
      claims[claim] === undefined
        ? `The receipt has no claim ${claim}, like those of version 0.1: users/data/verifyreceipt verifies them.`
        : `The receipt's claim ${claim} has another value than expected.`,
    );
  }
  return { claims, covered: coverageOf(claims, options) };
}

export const receipts = { verify };

async function claimsOf(jws: string, jwks: Jwks): Promise<ReceiptClaims> {
  const [protectedHeader = '', payload = '', signature = '', ...rest] = jws.split('.', 4);
  const { alg, typ, kid, crit } = objectOf(protectedHeader);
  if (rest.length > 0 || alg !== 'EdDSA' || typ !== type || crit !== undefined)
    throw refused(`The receipt is not a compact JWS of type ${type}, signed with EdDSA.`);
  const jwk = jwks.keys.find((key) => key.kid === kid && key.kty === 'OKP' && key.crv === 'Ed25519');
  if (jwk?.x === undefined) throw refused('The key of the receipt is not in the JWKS.');
  const key = await importedKey(jwk.x);
  const signed = bytesOfText(`${protectedHeader}.${payload}`);
  if (!(await crypto.subtle.verify('Ed25519', key, decoded(signature), signed)))
    throw refused('The signature of the receipt does not match.');
  return objectOf(payload) as ReceiptClaims;
}

async function importedKey(x: string) {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x };
  try {
    return await crypto.subtle.importKey('jwk', jwk, 'Ed25519', false, ['verify']);
  } catch (cause) {
    throw new ReceiptVerificationError(
      'The key of the receipt cannot be imported: it is malformed, or this WebCrypto lacks Ed25519.',
      { cause },
    );
  }
}

function coverageOf({ users }: ReceiptClaims, { userIds = [], pseudonyms = [] }: ReceiptOptions) {
  const known = new Map(pseudonyms.map(({ userId, pseudonym }) => [userId, pseudonym]));
  return Object.fromEntries(
    userIds.map((userId): [string, boolean] => {
      const pseudonym = known.get(userId);
      if (pseudonym === undefined) throw new TypeError('Each of userIds needs its pair in pseudonyms.');
      return [userId, users.includes(pseudonym)];
    }),
  );
}

function objectOf(part: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(decoded(part)));
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Refused below.
  }
  throw refused('A part of the receipt is not a JSON object.');
}

function decoded(part: string): Uint8Array<ArrayBuffer> {
  try {
    return bytesOfBase64(part);
  } catch {
    throw refused('A part of the receipt is not base64url.');
  }
}

const refused = (message: string): ReceiptVerificationError => new ReceiptVerificationError(message);
