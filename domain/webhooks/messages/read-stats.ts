import { row } from '../../../platform/database/sql.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { epochMilliseconds } from '../../jobs/job-times.ts';
import { attemptStatuses, messageStatuses, type MessageStatus } from '../delivery/message.ts';
import type { WebhookStats } from '../provider.ts';

const count = (status: MessageStatus): string =>
  `count(*) filter (where status = ${String(messageStatuses[status])})::float8 as ${status}`;

/** Counts what was recorded since then; `p95Ms` is of all attempts since then. The last ones are the last of all. */
const statement = `
  with counted as (
    select ${(['pending', 'succeeded', 'failed', 'cancelled'] as const).map(count).join(', ')} from delivery
    where api_key_id = $1 and endpoint_id = $2 and event_at >= to_timestamp($3::float8 / 1000)),
  timed as (
    select percentile_disc(0.95) within group (order by ms) as p95 from attempt
    where api_key_id = $1 and endpoint_id = $2 and at >= to_timestamp($3::float8 / 1000)),
  last as (
    select at from attempt where api_key_id = $1 and endpoint_id = $2 order by at desc limit 1),
  succeeded as (
    select at from attempt where api_key_id = $1 and endpoint_id = $2 and status = ${String(attemptStatuses.succeeded)}
    order by at desc limit 1)
  select c.pending, c.succeeded, c.failed, c.cancelled, t.p95 as "p95Ms",
    ${epochMilliseconds('(select at from last)')} as "lastAttemptAt",
    ${epochMilliseconds('(select at from succeeded)')} as "lastSuccessAt"
  from counted c cross join timed t`;

export async function readStats(
  em: EntityManager,
  tenantId: string,
  endpoint: { readonly id: string; readonly failingSince: Date | null },
  since: number,
): Promise<WebhookStats> {
  const found = await row<Omit<WebhookStats, 'failingSince'>>(em, statement, [tenantId, endpoint.id, since]);
  if (found === undefined) throw new Error('Counting answered nothing.');
  return { ...found, failingSince: endpoint.failingSince?.getTime() ?? null };
}
