import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { signingSecret } from '../signing/signing-secret.ts';
import { mailAddress } from './messages/address.ts';

/** Hashes an address for the suppression list of a key: domain in ASCII form, all lower case. */
export type SuppressionHash = (address: string) => Buffer;

export async function suppressionHashOf(
  em: EntityManager,
  keyRing: KeyRing,
  tenantId: string,
): Promise<SuppressionHash> {
  return hashIn(tenantId, await suppressionSecret(em, keyRing));
}

/** The secret of all suppression lists. It never changes. */
export const suppressionSecret = async (em: EntityManager, keyRing: KeyRing): Promise<KeyObject> =>
  createSecretKey(await signingSecret(em, keyRing, 'suppressions'));

/** Returns the hash of a key's list. */
export const hashIn =
  (tenantId: string, secret: KeyObject): SuppressionHash =>
  (address) =>
    createHmac('sha256', secret)
      .update(`${tenantId}\0${(mailAddress(address)?.address ?? address).toLowerCase()}`)
      .digest();
