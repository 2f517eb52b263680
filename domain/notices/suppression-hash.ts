import { createHmac, createSecretKey } from 'node:crypto';
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
  const secret = createSecretKey(await signingSecret(em, keyRing, 'suppressions'));
  return (address) =>
    createHmac('sha256', secret)
      .update(`${tenantId}\0${(mailAddress(address)?.address ?? address).toLowerCase()}`)
      .digest();
}
