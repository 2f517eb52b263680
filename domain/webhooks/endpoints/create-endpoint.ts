import { row } from '../../../platform/database/sql.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import type { KeyRing } from '../../../platform/encryption/key-ring.ts';
import { randomToken } from '../../../platform/encryption/tokens.ts';
import { alreadyExists, DomainError } from '../../errors.ts';
import { indexMetadata, lockPeopleInMetadata } from '../../metadata.ts';
import { messages } from '../../messages.ts';
import { webhookSecretPlace } from '../../secrets/encrypted-columns.ts';
import type { NewWebhookEndpoint, WebhookEndpoint } from '../provider.ts';
import { endpointColumns, endpointView, type EndpointRow } from './endpoint-row.ts';
import { newSecret } from './secrets.ts';

/** Endpoints that a key may have. */
const mostEndpoints = 100;

/**
 * Adds an endpoint with a secret of its own. Additions to one key follow each other, by the lock of its configuration:
 * so there is never one too many, and their order is that of their ids.
 */
export async function createEndpoint(
  em: EntityManager,
  keyRing: KeyRing,
  tenantId: string,
  wish: NewWebhookEndpoint,
): Promise<WebhookEndpoint> {
  await row(
    em,
    `select 1 from key_config where api_key_id = $1 and kind = 'advancedwebhook' for no key update`,
    [tenantId],
  );
  await refuseWhenFull(em, tenantId, wish.uid);
  const { metadata = {} } = wish;
  await lockPeopleInMetadata(em, { id: tenantId }, [{ metadata }], null);
  const publicId = randomToken('ep');
  const secret = keyRing.encrypt(
    newSecret(),
    webhookSecretPlace('secret_enc', { publicId, apiKeyId: tenantId }),
  );
  const created = await row<EndpointRow>(
    em,
    `insert into webhook_endpoint (api_key_id, public_id, url, description, filter_types, channels, rate_limit, uid, metadata,
       secret_enc, disabled_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, case when $11 then now() end) returning ${endpointColumns}`,
    [
      tenantId,
      publicId,
      wish.url,
      wish.description ?? null,
      wish.filterTypes ?? null,
      wish.channels ?? null,
      wish.rateLimit ?? null,
      wish.uid ?? null,
      wish.metadata === undefined ? null : JSON.stringify(wish.metadata),
      secret,
      wish.disabled,
    ],
  );
  if (created === undefined) throw new Error('An endpoint was not written.');
  await indexMetadata(em, { id: tenantId }, 'webhookEndpoint', [{ metadata }], () => created.id);
  return endpointView(created);
}

async function refuseWhenFull(em: EntityManager, tenantId: string, uid: string | undefined): Promise<void> {
  const present = await row<{ endpoints: number; taken: boolean }>(
    em,
    `select count(*)::int as endpoints, coalesce(bool_or(uid = $2), false) as taken
     from webhook_endpoint where api_key_id = $1 and kind = 0 and deleted_at is null`,
    [tenantId, uid ?? null],
  );
  if (present?.taken === true) throw alreadyExists(messages.webhookUidTaken);
  if ((present?.endpoints ?? 0) >= mostEndpoints) {
    throw new DomainError('RESOURCE_EXHAUSTED', messages.webhookEndpointsFull);
  }
}
