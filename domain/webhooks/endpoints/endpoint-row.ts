import { sql, type Selectable } from 'kysely';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { failedPrecondition, notFound } from '../../errors.ts';
import { messages } from '../../messages.ts';
import { tablesOf, type Tables } from '../../tables.ts';
import { endpointKinds } from '../../events/endpoint-kinds.ts';
import type { WebhookEndpoint } from '../provider.ts';

/** What statements return of an endpoint. */
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

/** A change is later than what it changes, also within one millisecond. */
export const updatedNow = sql<Date>`greatest(clock_timestamp(), updated_at + interval '1 millisecond')`;

/** The endpoints of a key. Rows of the basic webhook and of another provider are nobody's to see. */
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

/** What it takes to work with an endpoint. */
export interface FoundEndpoint {
  /** Surrogate key. */
  readonly id: string;
  readonly publicId: string;
  readonly disabledAt: Date | null;
  readonly failingSince: Date | null;
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
 * Holds an endpoint until the transaction ends. Who is about to send to it holds its row in sharing: so once a change made
 * under this lock has been committed, no attempt starts that has not seen it, but for one that is connecting already.
 */
export const lockEndpoint = async (
  em: EntityManager,
  tenantId: string,
  endpointId: string,
): Promise<FoundEndpoint> =>
  endpointOf(em, tenantId, endpointId).forUpdate().executeTakeFirstOrThrow(endpointMissing);

/** Holds an endpoint that takes messages until the transaction ends: it is neither deleted nor disabled meanwhile. */
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
