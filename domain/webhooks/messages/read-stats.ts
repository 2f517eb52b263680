import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { onlyRowOf } from '../../../platform/database/statements.ts';
import { attemptStatuses, messageStatuses, type MessageStatus } from '../delivery/message.ts';
import type { WebhookStats } from '../provider.ts';

const StatsRow = z.strictObject({
  pending: z.number(),
  succeeded: z.number(),
  failed: z.number(),
  cancelled: z.number(),
  p95: z.number().nullable(),
  last_attempt: z.date().nullable(),
  last_success: z.date().nullable(),
});

const count = (status: MessageStatus) =>
  sql`count(*) filter (where status = ${sql.lit(messageStatuses[status])})::float8 as ${sql.ref(status)}`;

const counts = sql.join((['pending', 'succeeded', 'failed', 'cancelled'] as const).map(count));

/** Counts messages and computes `p95Ms` since `since`, in milliseconds. `last…` members cover all retained attempts. */
export async function readStats(
  em: EntityManager,
  tenantId: string,
  endpoint: { readonly id: string; readonly failingSince: Date | null },
  since: number,
): Promise<WebhookStats> {
  const own = sql`api_key_id = ${tenantId} and endpoint_id = ${endpoint.id}`;
  const from = sql`to_timestamp(${since}::float8 / 1000)`;
  const { p95, last_attempt, last_success, ...counted } = await onlyRowOf(
    em,
    StatsRow,
    sql`with counted as (select ${counts} from delivery where ${own} and event_at >= ${from}),
      timed as (
        select percentile_disc(0.95) within group (order by ms) as p95 from attempt where ${own} and at >= ${from})
      select c.*, t.p95, (select at from attempt where ${own} order by at desc limit 1) as last_attempt,
        (select at from attempt where ${own} and status = ${sql.lit(attemptStatuses.succeeded)}
         order by at desc limit 1) as last_success
      from counted c cross join timed t`,
  );
  return {
    ...counted,
    p95Ms: p95,
    lastAttemptAt: last_attempt?.getTime() ?? null,
    lastSuccessAt: last_success?.getTime() ?? null,
    failingSince: endpoint.failingSince?.getTime() ?? null,
  };
}
