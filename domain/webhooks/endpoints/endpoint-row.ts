import { row } from '../../../platform/database/sql.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { failedPrecondition, notFound } from '../../errors.ts';
import { epochMilliseconds } from '../../jobs/job-times.ts';
import { messages } from '../../messages.ts';
import type { WebhookEndpoint } from '../provider.ts';

/** An endpoint as statements answer it; times are milliseconds. */
export interface EndpointRow {
  readonly id: string;
  readonly public_id: string;
  readonly url: string;
  readonly description: string | null;
  readonly filter_types: string[] | null;
  readonly channels: string[] | null;
  readonly disabled: boolean;
  readonly disabled_reason: string | null;
  readonly rate_limit: number | null;
  readonly uid: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** SQL: the columns of an `EndpointRow`. */
export const endpointColumns = `id, public_id, url, description, filter_types, channels, disabled_at is not null as disabled,
  disabled_reason, rate_limit, uid, ${epochMilliseconds('created_at')} as created_at,
  ${epochMilliseconds('updated_at')} as updated_at`;

/** SQL: the endpoint `$2` of the key `$1`. Rows of the basic webhook and of another provider are nobody's to see. */
export const visibleEndpoint = 'api_key_id = $1 and public_id = $2 and kind = 0 and deleted_at is null';

export const endpointView = (endpoint: EndpointRow): WebhookEndpoint => ({
  id: endpoint.public_id,
  url: endpoint.url,
  description: endpoint.description,
  filterTypes: endpoint.filter_types,
  channels: endpoint.channels,
  disabled: endpoint.disabled,
  disabledReason: endpoint.disabled ? endpoint.disabled_reason : null,
  rateLimit: endpoint.rate_limit,
  uid: endpoint.uid,
  createdAt: new Date(endpoint.created_at).toISOString(),
  updatedAt: new Date(endpoint.updated_at).toISOString(),
});

export const endpointMissing = () => notFound(messages.webhookProviderFailed);

/** What it takes to work with an endpoint. */
export interface FoundEndpoint {
  /** Surrogate key. */
  readonly id: string;
  readonly publicId: string;
  readonly disabled: boolean;
  /** Milliseconds. */
  readonly failingSince: number | null;
}

const foundColumns = `id, public_id as "publicId", disabled_at is not null as disabled,
  ${epochMilliseconds('failing_since')} as "failingSince"`;

/** Throws NOT_FOUND. */
export async function findEndpoint(
  em: EntityManager,
  tenantId: string,
  endpointId: string,
): Promise<FoundEndpoint> {
  const found = await row<FoundEndpoint>(
    em,
    `select ${foundColumns} from webhook_endpoint where ${visibleEndpoint}`,
    [tenantId, endpointId],
  );
  if (found === undefined) throw endpointMissing();
  return found;
}

/**
 * Holds an endpoint until the transaction ends. Who is about to send to it holds its row in sharing: so once a change made
 * under this lock has been committed, no attempt starts that has not seen it, but for one that is connecting already.
 */
export async function lockEndpoint(
  em: EntityManager,
  tenantId: string,
  endpointId: string,
): Promise<FoundEndpoint> {
  const found = await row<FoundEndpoint>(
    em,
    `select ${foundColumns} from webhook_endpoint where ${visibleEndpoint} for update`,
    [tenantId, endpointId],
  );
  if (found === undefined) throw endpointMissing();
  return found;
}

/** Holds an endpoint that takes messages until the transaction ends: it is neither deleted nor disabled meanwhile. */
export async function lockEnabledEndpoint(
  em: EntityManager,
  tenantId: string,
  endpointId: string,
): Promise<FoundEndpoint> {
  const found = await row<FoundEndpoint>(
    em,
    `select ${foundColumns} from webhook_endpoint where ${visibleEndpoint} for key share`,
    [tenantId, endpointId],
  );
  if (found === undefined) throw endpointMissing();
  if (found.disabled) throw failedPrecondition(messages.webhookEndpointDisabled);
  return found;
}
