import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/orm.ts';
import type { KeyRing } from '../../../platform/encryption/key-ring.ts';
import { dayMs } from '../../../platform/units.ts';
import { tablesOf } from '../../tables.ts';
import type { RotatedSecret } from '../provider.ts';
import { webhookSecretContext } from './secret-context.ts';
import { endpointMissing, visibleEndpoints } from './endpoint-row.ts';
import { updatedNow } from './endpoint-rules.ts';

/** Milliseconds for which the previous secret also signs messages. */
export const secretOverlapMs = dayMs;

/** A signing secret in the Standard Webhooks format. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

export async function readSecret(
  em: EntityManager,
  keyRing: KeyRing,
  tenantId: string,
  endpointId: string,
): Promise<string> {
  const { secret_enc } = await sealedSecret(em, tenantId, endpointId).executeTakeFirstOrThrow(
    endpointMissing,
  );
  return keyRing.decrypt(secret_enc, contextsOf(tenantId, endpointId).present);
}

/** Both secrets sign until the previous one expires; a secret from an earlier rotation stops signing now. */
export async function rotateSecret(
  em: EntityManager,
  keyRing: KeyRing,
  tenantId: string,
  endpointId: string,
): Promise<RotatedSecret> {
  const { id, secret_enc } = await sealedSecret(em, tenantId, endpointId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(endpointMissing);
  const contexts = contextsOf(tenantId, endpointId);
  const former = keyRing.decrypt(secret_enc, contexts.present);
  const secret = newSecret();
  const previousSecretExpiresAt = Date.now() + secretOverlapMs;
  await tablesOf(em)
    .updateTable('webhook_endpoint')
    .set({
      secret_enc: keyRing.encrypt(secret, contexts.present),
      old_secret_enc: keyRing.encrypt(former, contexts.former),
      old_secret_until: sql<Date>`to_timestamp(${previousSecretExpiresAt}::float8 / 1000)`,
      updated_at: updatedNow,
    })
    .where((row) => row.and({ id, api_key_id: tenantId }))
    .execute();
  return { secret, previousSecretExpiresAt };
}

const sealedSecret = (em: EntityManager, tenantId: string, endpointId: string) =>
  visibleEndpoints(em, tenantId)
    .where('public_id', '=', endpointId)
    .select(['id', 'secret_enc'])
    .$narrowType<{ secret_enc: Buffer }>();

const contextsOf = (apiKeyId: string, publicId: string) => ({
  present: webhookSecretContext('secret_enc', { publicId, apiKeyId }),
  former: webhookSecretContext('old_secret_enc', { publicId, apiKeyId }),
});
