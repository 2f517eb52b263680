import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { changedBy, onlyRowOf } from '../../../platform/database/statements.ts';
import { isListed } from './listed-messages.ts';
import { messageStatuses } from './message.ts';
import type { Destination } from './resolve.ts';

/** Messages per statement. */
const batchSize = 1_000;

const PendingRow = z.strictObject({ pending: z.boolean() });

const reasons = {
  disabled: 'The endpoint was disabled.',
  deleted: 'The endpoint was deleted.',
} as const;

/**
 * `cancelled`: a batch was canceled, and more may be pending. `locked`: other transactions hold the pending messages, or
 * the endpoint was enabled meanwhile. `none`: no message is pending.
 */
export type Cancelling = 'cancelled' | 'locked' | 'none';

/**
 * Cancels one batch of pending messages of an endpoint that is still disabled or deleted; those that are sent again after
 * their delivery become delivered. It locks the endpoint like `resolve`, so that it cancels nothing that was queued after
 * the endpoint was enabled.
 */
export async function cancelWaiting(
  em: EntityManager,
  { id, tenantId }: Pick<Destination, 'id' | 'tenantId'>,
  state: keyof typeof reasons,
): Promise<Cancelling> {
  const cancelled = await changedBy(
    em,
    sql`with closed as (
        select from webhook_endpoint w where w.id = ${id} and w.api_key_id = ${tenantId}
          and (w.disabled_at is not null or w.deleted_at is not null) for key share of w),
      waiting as (
        select d.event_at, d.event_id from delivery d
        where exists (select from closed) and d.endpoint_id = ${id} and d.api_key_id = ${tenantId} and d.status = ${sql.lit(messageStatuses.pending)}
        limit ${sql.lit(batchSize)} for update skip locked)
      update delivery set status = case when delivered then ${sql.lit(messageStatuses.succeeded)} else ${sql.lit(messageStatuses.cancelled)} end,
        status_reason = case when not delivered then ${reasons[state]} end,
        retry_at = null, next_at = null, resends = 0
      where endpoint_id = ${id} and api_key_id = ${tenantId} and ${isListed('waiting')}`,
  );
  if (cancelled > 0) return 'cancelled';
  const { pending } = await onlyRowOf(
    em,
    PendingRow,
    sql`select exists (
        select from delivery d
        where d.endpoint_id = ${id} and d.api_key_id = ${tenantId} and d.status = ${sql.lit(messageStatuses.pending)}) as pending`,
  );
  return pending ? 'locked' : 'none';
}
