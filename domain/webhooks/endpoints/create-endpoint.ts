import { sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/orm.ts';
import type { KeyRing } from '../../../platform/encryption/key-ring.ts';
import { randomToken } from '../../../platform/encryption/tokens.ts';
import { alreadyExists, DomainError } from '../../errors.ts';
import { indexMetadata, lockPeopleInMetadata } from '../../users/people-in-metadata.ts';
import { messages } from '../../messages.ts';
import { defaultWebhookEndpoints } from '../../tenancy/key-limits.ts';
import { tablesOf } from '../../tables.ts';
import type { NewWebhookEndpoint, WebhookEndpoint } from '../provider.ts';
import { webhookSecretContext } from './secret-context.ts';
import { endpointColumns, endpointView, visibleEndpoints } from './endpoint-row.ts';
import { newSecret } from './secrets.ts';

/**
 * Creates an endpoint with its own secret. The lock of the key's configuration serializes creations, which enforces the
 * limit and keeps the order of endpoints equal to that of their surrogate keys.
 */
export async function createEndpoint(
  em: EntityManager,
  keyRing: KeyRing,
  tenantId: string,
  request: NewWebhookEndpoint,
): Promise<WebhookEndpoint> {
  await tablesOf(em)
    .selectFrom('key_config')
    .select('version')
    .where((row) => row.and({ api_key_id: tenantId, kind: 'advancedwebhook' }))
    .forNoKeyUpdate()
    .execute();
  await rejectWhenFull(em, tenantId, request.uid);
  const { metadata = {} } = request;
  await lockPeopleInMetadata(em, { id: tenantId }, [{ metadata }], null);
  const publicId = randomToken('ep');
  const secret = keyRing.encrypt(
    newSecret(),
    webhookSecretContext('secret_enc', { publicId, apiKeyId: tenantId }),
  );
  const created = await tablesOf(em)
    .insertInto('webhook_endpoint')
    .values({
      api_key_id: tenantId,
      public_id: publicId,
      url: request.url,
      description: request.description ?? null,
      filter_types: request.filterTypes ?? null,
      channels: request.channels ?? null,
      rate_limit: request.rateLimit ?? null,
      uid: request.uid ?? null,
      metadata: request.metadata ?? null,
      secret_enc: secret,
      disabled_at: sql<Date | null>`case when ${request.disabled} then now() end`,
    })
    .returning(endpointColumns)
    .executeTakeFirstOrThrow();
  await indexMetadata(em, { id: tenantId }, 'webhookEndpoint', [{ metadata }], () => created.id);
  return endpointView(created);
}

async function rejectWhenFull(em: EntityManager, tenantId: string, uid: string | undefined): Promise<void> {
  const present = await visibleEndpoints(em, tenantId)
    .select(sql<number>`count(*)::int`.as('endpoints'))
    .select(sql<boolean>`coalesce(bool_or(uid = ${uid ?? null}), false)`.as('taken'))
    .select((row) =>
      row.selectFrom('api_key').select('webhook_endpoints').where('id', '=', tenantId).as('limit'),
    )
    .executeTakeFirstOrThrow();
  if (present.taken) throw alreadyExists(messages.webhookUidTaken);
  const max = present.limit ?? defaultWebhookEndpoints;
  if (present.endpoints >= max)
    throw new DomainError('RESOURCE_EXHAUSTED', messages.webhookEndpointsFull(max));
}
