import { sql, type RawBuilder } from 'kysely';
import { announce, type EntityManager } from '../../../platform/database/orm.ts';
import { changedBy } from '../../../platform/database/statements.ts';
import { notFound } from '../../errors.ts';
import { EventsRecorded } from '../../events/events-recorded.ts';
import { messages } from '../../messages.ts';
import { tablesOf } from '../../tables.ts';
import { findKey, requireKey, type KeyIds } from '../../workspaces/find-key.ts';

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
    return { ...(await requireKey(em, scope)), event: undefined };
  }
  const found = await tablesOf(em)
    .selectFrom('event')
    .select(['id', 'api_key_id'])
    .where('public_id', '=', scope.eventId)
    .executeTakeFirst();
  const key = found && (await findKey(em, { tenantId: found.api_key_id }));
  if (found === undefined || key === undefined) throw notFound(messages.eventMissing);
  return { ...key, event: found.id };
}
