import { randomBytes } from 'node:crypto';
import { row, rows } from '../../../platform/database/sql.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import type { KeyRing } from '../../../platform/encryption/key-ring.ts';
import { webhookSecretPlace } from '../../secrets/encrypted-columns.ts';
import type { RotatedSecret } from '../provider.ts';
import { endpointMissing, visibleEndpoint } from './endpoint-row.ts';

/** Milliseconds in which the former secret of an endpoint signs beside the new one. */
export const secretOverlap = 86_400_000;

/** A signing secret in the form of Standard Webhooks. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

interface SealedSecret {
  readonly id: string;
  readonly secret_enc: Buffer;
}

export async function readSecret(
  em: EntityManager,
  keyRing: KeyRing,
  tenantId: string,
  endpointId: string,
): Promise<string> {
  const { secret_enc } = await sealedSecret(em, tenantId, endpointId, '');
  return keyRing.decrypt(secret_enc, placesOf(tenantId, endpointId).present);
}

/** Both secrets sign until the former one expires; one that was still signing from an earlier rotation stops now. */
export async function rotateSecret(
  em: EntityManager,
  keyRing: KeyRing,
  tenantId: string,
  endpointId: string,
): Promise<RotatedSecret> {
  const { id, secret_enc } = await sealedSecret(em, tenantId, endpointId, 'for no key update');
  const places = placesOf(tenantId, endpointId);
  const former = keyRing.decrypt(secret_enc, places.present);
  const secret = newSecret();
  const previousSecretExpiresAt = Date.now() + secretOverlap;
  await rows(
    em,
    `update webhook_endpoint set secret_enc = $3, old_secret_enc = $4, old_secret_until = to_timestamp($5::float8 / 1000),
       updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
     where id = $2 and api_key_id = $1`,
    [
      tenantId,
      id,
      keyRing.encrypt(secret, places.present),
      keyRing.encrypt(former, places.former),
      previousSecretExpiresAt,
    ],
  );
  return { secret, previousSecretExpiresAt };
}

async function sealedSecret(
  em: EntityManager,
  tenantId: string,
  endpointId: string,
  lock: '' | 'for no key update',
): Promise<SealedSecret> {
  const found = await row<SealedSecret>(
    em,
    `select id, secret_enc from webhook_endpoint where ${visibleEndpoint} ${lock}`,
    [tenantId, endpointId],
  );
  if (found === undefined) throw endpointMissing();
  return found;
}

const placesOf = (apiKeyId: string, publicId: string) => ({
  present: webhookSecretPlace('secret_enc', { publicId, apiKeyId }),
  former: webhookSecretPlace('old_secret_enc', { publicId, apiKeyId }),
});
