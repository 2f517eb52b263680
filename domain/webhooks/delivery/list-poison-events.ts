import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { rowsOf } from '../../../platform/database/statements.ts';

const PoisonRow = z.strictObject({
  api_key_id: z.string(),
  event_id: z.string(),
  public_id: z.string(),
  key_id: z.string(),
  type: z.string(),
  event_at: z.date(),
  attempts: z.number(),
  reason: z.string(),
  failed_at: z.date(),
  next_at: z.date().nullable(),
});
export type PoisonRow = z.infer<typeof PoisonRow>;

/** A row whose event has expired has no public id. Such rows are deleted within a day. */
const ListedRow = z.union([PoisonRow, PoisonRow.extend({ public_id: z.null(), type: z.null() })]);

export interface ListedPoisonEvents {
  readonly events: readonly PoisonRow[];
  /** The last examined row, also when its event has expired; undefined at the end. */
  readonly next: readonly [string, string] | undefined;
}

export interface PoisonPage {
  /** Surrogate key of the only API key; undefined for all. */
  readonly tenantId: string | undefined;
  /** Surrogate keys of the API key and the event. */
  readonly after: readonly [string, string];
  readonly limit: number;
}

/** Reads up to `limit` events whose dispatch failed, in the order of keys and then of creation. */
export async function readPoisonEvents(
  em: EntityManager,
  { tenantId, after: [key, event], limit }: PoisonPage,
): Promise<ListedPoisonEvents> {
  const ofKey = tenantId === undefined ? sql`true` : sql`api_key_id = ${tenantId}`;
  const found = await rowsOf(
    em,
    ListedRow,
    sql`with listed as materialized (
        select * from poison_event where (api_key_id, event_id) > (${key}::bigint, ${event}::bigint) and ${ofKey}
        order by api_key_id, event_id limit ${limit + 1})
      select p.*, e.public_id, e.type, (select k.public_id from api_key k where k.id = p.api_key_id) as key_id
      from listed p left join lateral (
        select e.public_id, e.type from event e where e.at = p.event_at and e.id = p.event_id
          and e.api_key_id = p.api_key_id limit 1) e on true
      order by p.api_key_id, p.event_id`,
  );
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return {
    events: page.filter((row): row is PoisonRow => row.public_id !== null),
    next: last && [last.api_key_id, last.event_id],
  };
}
