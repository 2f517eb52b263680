import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { readByIndex } from '../../../platform/database/planner.ts';
import { rowsOf } from '../../../platform/database/statements.ts';
import { attemptStatuses, messageStatuses } from '../delivery/message.ts';
import { isPaused } from '../pauses/pauses-of.ts';

/** Max pending messages that are counted for an endpoint, and max of its latest attempts that are read. */
export const healthLimits = { pending: 1_000, attempts: 100 } as const;

const HealthRow = z.strictObject({
  id: z.string(),
  public_id: z.string(),
  key_id: z.string(),
  kind: z.number(),
  url: z.string(),
  disabled_at: z.date().nullable(),
  disabled_reason: z.string().nullable(),
  failing_since: z.date().nullable(),
  paused: z.boolean(),
  pending: z.number(),
  /** Of the counted messages. */
  oldest_pending: z.date().nullable(),
  /** Of the read attempts. */
  last_success: z.date().nullable(),
  last_failure: z.date().nullable(),
});
export type HealthRow = z.infer<typeof HealthRow>;

export interface HealthPage {
  /** Surrogate key of a key or of an endpoint; undefined for all. */
  readonly of: { readonly tenantId?: string; readonly endpoint?: string };
  readonly after: string | undefined;
  readonly limit: number;
}

const outcome = (status: keyof typeof attemptStatuses) =>
  sql`max(at) filter (where status = ${sql.lit(attemptStatuses[status])})`;

/** Reads the state of endpoints of every key, in order of creation. Both counts are bounded: see `healthLimits`. */
export async function readHealth(em: EntityManager, { of, after, limit }: HealthPage): Promise<HealthRow[]> {
  const { tenantId, endpoint } = of;
  const ofKey = tenantId === undefined ? sql`true` : sql`w.api_key_id = ${tenantId}`;
  const chosen = endpoint === undefined ? sql`true` : sql`w.id = ${endpoint}`;
  const statement = sql`with chosen as materialized (
      select w.* from webhook_endpoint w where w.id > ${after ?? '0'} and ${ofKey} and ${chosen} and w.deleted_at is null
      order by w.id limit ${limit})
    select w.id, w.public_id, (select k.public_id from api_key k where k.id = w.api_key_id) as key_id, w.kind, w.url,
      w.disabled_at, w.disabled_reason, w.failing_since, ${isPaused} as paused, p.pending, p.oldest_pending,
      l.last_success, l.last_failure
    from chosen w cross join lateral (
        select count(*)::int as pending, min(event_at) as oldest_pending from (
          select d.event_at from delivery d
          where d.endpoint_id = w.id and d.status = ${sql.lit(messageStatuses.pending)}
          order by d.next_at limit ${sql.lit(healthLimits.pending)}) d) p
      cross join lateral (
        select ${outcome('succeeded')} as last_success, ${outcome('failed')} as last_failure from (
          select a.at, a.status from attempt a where a.endpoint_id = w.id
          order by a.at desc limit ${sql.lit(healthLimits.attempts)}) a) l
    order by w.id`;
  return readByIndex(em, async (reading) => rowsOf(reading, HealthRow, statement));
}
