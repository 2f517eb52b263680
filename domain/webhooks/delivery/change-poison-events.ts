import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { announce, type EntityManager } from '../../../platform/database/orm.ts';
import { changedBy, rowsOf } from '../../../platform/database/statements.ts';
import { notFound } from '../../errors.ts';
import { EventsRecorded } from '../../events/events-recorded.ts';
import { messages } from '../../messages.ts';
import { tablesOf } from '../../tables.ts';
import { findKeyIds, type KeyIds } from '../../workspaces/key-ids.ts';

/** Events whose dispatch failed: one, or those of a key, by public id. */
export type PoisonScope = { readonly eventId: string } | { readonly keyId: string };

export interface ChangedEvents {
  /** Public id of their key. */
  readonly keyId: string;
  /** Number of changed events. */
  readonly events: number;
}

/** Max events of a key per call, oldest first. */
const maxEvents = 1_000;

/**
 * Makes events due again with all their attempts, and wakes the dispatch after the commit. Omits those of a key that are
 * due already, so that a repeated call reaches further ones. Throws NOT_FOUND.
 */
export async function retryPoisonEvents(em: EntityManager, scope: PoisonScope): Promise<ChangedEvents> {
  const located = await locate(em, scope);
  const { keyId } = located;
  const events = await changedBy(
    em,
    sql`update poison_event set next_at = now(), attempts = 0 where ${chosen(located, sql`next_at is null or next_at > now()`)}`,
  );
  if (events > 0) announce(em, new EventsRecorded(keyId, 0));
  return { keyId, events };
}

/** Deletes events without creating their messages. Throws NOT_FOUND. */
export async function discardPoisonEvents(em: EntityManager, scope: PoisonScope): Promise<ChangedEvents> {
  const located = await locate(em, scope);
  const events = await changedBy(em, sql`delete from poison_event where ${chosen(located, sql`true`)}`);
  return { keyId: located.keyId, events };
}

interface Located extends KeyIds {
  /** Surrogate key; undefined for all events of the key. */
  readonly event: string | undefined;
}

/** SQL: the one event, or the next events of the key that match `ofKey`. */
const chosen = (
  { tenantId, event }: Located,
  ofKey: RawBuilder<unknown>,
) => sql`api_key_id = ${tenantId} and event_id = any(array(
  select event_id from poison_event where api_key_id = ${tenantId}
    and ${event === undefined ? sql`(${ofKey})` : sql`event_id = ${event}`}
  order by event_id limit ${sql.lit(maxEvents)} for update))`;

async function locate(em: EntityManager, scope: PoisonScope): Promise<Located> {
  if ('keyId' in scope) {
    const key = await findKeyIds(em, scope);
    if (key === undefined) throw notFound(messages.apiKeyMissing);
    return { ...key, event: undefined };
  }
  const found = await tablesOf(em)
    .selectFrom('event')
    .select(['id', 'api_key_id'])
    .where('public_id', '=', scope.eventId)
    .executeTakeFirst();
  const key = found && (await findKeyIds(em, { tenantId: found.api_key_id }));
  if (found === undefined || key === undefined) throw notFound(messages.eventMissing);
  return { ...key, event: found.id };
}

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
