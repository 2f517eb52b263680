import { createHmac } from 'node:crypto';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { signingSecret } from './signing-secret.ts';

/** Identifies a user on receipts and in the audit log. */
export interface Pseudonym {
  readonly userId: string;
  /** HMAC-SHA-256 of the userId, base64url. */
  readonly pseudonym: string;
}

/** Returns pseudonyms. One API key always has the same pseudonym for a userId; other keys have others. */
export async function pseudonymsOf(
  em: EntityManager,
  keyRing: KeyRing,
  tenantId: string,
  userIds: readonly string[],
): Promise<Pseudonym[]> {
  if (userIds.length === 0) return [];
  const secret = await signingSecret(em, keyRing, 'receipt-users');
  return userIds.map((userId) => ({ userId, pseudonym: pseudonymOf(secret, tenantId, userId) }));
}

/** Returns the pseudonym of a userId in each of these API keys. */
export async function pseudonymsInKeys(
  em: EntityManager,
  keyRing: KeyRing,
  tenantIds: readonly string[],
  userId: string,
): Promise<string[]> {
  const secret = await signingSecret(em, keyRing, 'receipt-users');
  return tenantIds.map((tenantId) => pseudonymOf(secret, tenantId, userId));
}

const pseudonymOf = (secret: Buffer, tenantId: string, userId: string): string =>
  createHmac('sha256', secret).update(`${tenantId}\0${userId}`).digest('base64url');
