import { sql, type Selectable } from 'kysely';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { failedPrecondition, notFound } from '../../errors.ts';
import { messages } from '../../messages.ts';
import { tablesOf, type Tables } from '../../tables.ts';
import { endpointKinds } from '../../events/endpoint-kinds.ts';
import type { WebhookEndpoint } from '../provider.ts';

/** The columns of an `EndpointRow`. */
export const endpointColumns = [
  'id',
  'public_id',
  'url',
  'description',
  'filter_types',
  'channels',
  'disabled_at',
  'disabled_reason',
  'rate_limit',
  'uid',
  'created_at',
  'updated_at',
] as const;

export type EndpointRow = Pick<Selectable<Tables['webhook_endpoint']>, (typeof endpointColumns)[number]>;

/** The endpoints that operations may show: not deleted, and of kind `advanced`. */
export const visibleEndpoints = (em: EntityManager, tenantId: string) =>
  tablesOf(em)
    .selectFrom('webhook_endpoint')
    .where('api_key_id', '=', tenantId)
    .where('kind', '=', sql.lit(endpointKinds.advanced))
    .where('deleted_at', 'is', null);

export const endpointView = (endpoint: EndpointRow): WebhookEndpoint => ({
  id: endpoint.public_id,
  url: endpoint.url,
  description: endpoint.description,
  filterTypes: endpoint.filter_types,
  channels: endpoint.channels,
  disabled: endpoint.disabled_at !== null,
  disabledReason: endpoint.disabled_at === null ? null : endpoint.disabled_reason,
  rateLimit: endpoint.rate_limit,
  uid: endpoint.uid,
  createdAt: endpoint.created_at.toISOString(),
  updatedAt: endpoint.updated_at.toISOString(),
});

export const endpointMissing = () => notFound(messages.webhookProviderFailed);

export interface FoundEndpoint {
  /** Surrogate key. */
  readonly id: string;
  readonly publicId: string;
  readonly disabledAt: Date | null;
  readonly failingSince: Date | null;
}

/** An endpoint of any key and kind, by its public id. */
export interface ServedEndpoint {
  /** Surrogate key. */
  readonly id: string;
  readonly endpointId: string;
  readonly tenantId: string;
  readonly keyId: string;
  readonly disabledAt: Date | null;
}

/** For operators: finds an endpoint that is not deleted, of any key. Throws NOT_FOUND. */
export async function findServedEndpoint(em: EntityManager, endpointId: string): Promise<ServedEndpoint> {
  const found = await tablesOf(em)
    .selectFrom('webhook_endpoint as w')
    .select(['w.id', 'w.public_id as endpointId', 'w.api_key_id as tenantId'])
    .select(['w.disabled_at as disabledAt', 'w.deleted_at as deletedAt'])
    .select((row) =>
      row
        .selectFrom('api_key as k')
        .select('k.public_id')
        .whereRef('k.id', '=', 'w.api_key_id')
        .$asScalar()
        .$notNull()
        .as('keyId'),
    )
    .where('w.public_id', '=', endpointId)
    .executeTakeFirst();
  if (found === undefined || found.deletedAt !== null) throw notFound(messages.webhookEndpointMissing);
  return found;
}

const endpointOf = (em: EntityManager, tenantId: string, endpointId: string) =>
  visibleEndpoints(em, tenantId)
    .where('public_id', '=', endpointId)
    .select(['id', 'public_id as publicId', 'disabled_at as disabledAt', 'failing_since as failingSince']);

/** Throws NOT_FOUND. */
export const findEndpoint = async (
  em: EntityManager,
  tenantId: string,
  endpointId: string,
): Promise<FoundEndpoint> => endpointOf(em, tenantId, endpointId).executeTakeFirstOrThrow(endpointMissing);

/**
 * Locks an endpoint until the transaction ends. `resolve` share-locks the row before it claims messages. So after a
 * change under this lock commits, only an attempt that is already connecting has not seen it. Throws NOT_FOUND.
 */
export const lockEndpointRow = async (
  em: EntityManager,
  tenantId: string,
  endpointId: string,
): Promise<EndpointRow> =>
  visibleEndpoints(em, tenantId)
    .where('public_id', '=', endpointId)
    .select(endpointColumns)
    .forUpdate()
    .executeTakeFirstOrThrow(endpointMissing);

/**
 * Share-locks an enabled endpoint: its customer's disable and delete wait until the transaction ends. Steward may
 * disable it meanwhile; a turn then cancels the messages that the transaction queued. Throws NOT_FOUND or FAILED_PRECONDITION.
 */
export async function lockEnabledEndpoint(
  em: EntityManager,
  tenantId: string,
  endpointId: string,
): Promise<FoundEndpoint> {
  const found = await endpointOf(em, tenantId, endpointId)
    .forKeyShare()
    .executeTakeFirstOrThrow(endpointMissing);
  if (found.disabledAt !== null) throw failedPrecondition(messages.webhookEndpointDisabled);
  return found;
}
