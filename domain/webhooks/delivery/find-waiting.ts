import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { rowsOf } from '../../../platform/database/statements.ts';
import { basicKinds } from '../../events/endpoint-kinds.ts';
import type { ScanPage } from '../../scan-page.ts';
import { isActive } from '../../workspaces/key-activity.ts';
import { isPaused } from '../pauses/pauses-of.ts';
import { messageStatuses } from './message.ts';

/** Max keys or endpoints that one query examines. */
const pageSize = 500;

/** Public ids of an endpoint with overdue messages and its key. */
export interface WaitingEndpoint {
  readonly keyId: string;
  readonly endpointId: string;
}

/**
 * SQL of the recursive query `oldest`: `(api_key_id, event_at)` of the oldest outbox event of each key after a surrogate
 * key. One index probe per key: each row leads to the next key.
 */
export const oldestEvents = (after = '0') => sql`
       (select api_key_id, event_at from outbox where api_key_id > ${after} order by api_key_id, event_id limit 1)
       union all
       select n.api_key_id, n.event_at from oldest o cross join lateral (
         select x.api_key_id, x.event_at from outbox x where x.api_key_id > o.api_key_id
         order by x.api_key_id, x.event_id limit 1) n`;

/** A page of the public ids of active keys with an outbox event older than 10 seconds. */
export const keysWithOldEvents = async (em: EntityManager, after?: string): Promise<ScanPage<string>> =>
  activeKeys(em, oldestEvents(after), sql`o.event_at < now() - interval '10 seconds'`);

/** SQL like `oldestEvents`: `(api_key_id, next_at)` of the earliest next attempt of each key's failed events. */
const nextAttempts = (after = '0') => sql`
       (select api_key_id, next_at from poison_event where next_at is not null and api_key_id > ${after}
        order by api_key_id, next_at limit 1)
       union all
       select n.api_key_id, n.next_at from oldest o cross join lateral (
         select x.api_key_id, x.next_at from poison_event x where x.next_at is not null and x.api_key_id > o.api_key_id
         order by x.api_key_id, x.next_at limit 1) n`;

/** A page of the public ids of active keys with a failed event whose next attempt is due. */
export const keysWithDueEvents = async (em: EntityManager, after?: string): Promise<ScanPage<string>> =>
  activeKeys(em, nextAttempts(after), sql`o.next_at <= now()`);

/** `oldest`: SQL of a recursive query with one row per key after a position. `waits`: SQL of a condition on its row `o`. */
async function activeKeys(
  em: EntityManager,
  oldest: RawBuilder<unknown>,
  waits: RawBuilder<unknown>,
): Promise<ScanPage<string>> {
  const page = await rowsOf(
    em,
    KeyRow,
    sql`with recursive oldest as (${oldest})
       select o.api_key_id as id, case when ${waits} then k.public_id end as public_id
       from (select * from oldest limit ${sql.lit(pageSize)}) o
       left join lateral (select k.public_id from api_key k where k.id = o.api_key_id and ${isActive} limit 1) k on true`,
  );
  return { found: page.flatMap(({ public_id }) => public_id ?? []), next: nextOf(page) };
}

/** `public_id` is null for a key or an endpoint that must not be woken. */
const KeyRow = z.strictObject({ id: z.string(), public_id: z.string().nullable() });
const EndpointRow = KeyRow.extend({ key_id: z.string().nullable() });

/** The surrogate key after which the next page begins: rows of a page are in any order. */
const nextOf = (page: readonly { readonly id: string }[]): string | undefined =>
  page.length < pageSize
    ? undefined
    : page.reduce((last, { id }) => (BigInt(id) > BigInt(last) ? id : last), '0');

/** SQL: whether a message is to be sent. */
export const isPending = sql<boolean>`status = ${sql.lit(messageStatuses.pending)} and next_at is not null`;

/**
 * SQL of the recursive query `waiting`: the `endpoint_id` of each endpoint with pending messages after a surrogate key, by
 * one index probe each.
 */
export const endpointsWithPending = (after = '0') => sql`
       (select endpoint_id from delivery where ${isPending} and endpoint_id > ${after} order by endpoint_id limit 1)
       union all
       select n.endpoint_id from waiting w cross join lateral (
         select d.endpoint_id from delivery d where ${isPending} and d.endpoint_id > w.endpoint_id
         order by d.endpoint_id limit 1) n`;

const isBasic = sql`w.kind in ${basicKinds}`;

/**
 * SQL: whether a worker acts on due messages of the endpoint `w`. It delivers unless they are paused, or wait for a
 * configuration change or another provider, and cancels messages of disabled and deleted endpoints. `kinds`: kinds of
 * endpoint rows that are served.
 */
export const awaitsWorker = (kinds: readonly number[]) => sql<boolean>`(w.disabled_at is not null
  or w.deleted_at is not null or w.kind = any(${kinds}) and not ${isPaused} and exists (
    select from key_config c
      cross join lateral (select case when ${isBasic} then c.config -> 'webhookServiceConfig' else c.config end as options) o
    where c.api_key_id = w.api_key_id and c.kind = case when ${isBasic} then 'webhook' else 'advancedwebhook' end
      and coalesce((c.config ->> case when ${isBasic} then 'useWebhookService' else 'isEnabled' end)::boolean, false)
      and not (coalesce((o.options ->> 'encryptData')::boolean, false) and coalesce(o.options ->> 'publicKey', '') = '')))`;

/**
 * A page of endpoints with an unclaimed message overdue by 20 s that a worker acts on. The 20 s allow woken workflows to
 * wait for a slot under load. `kinds`: kinds of endpoint rows that are served.
 */
export async function endpointsWithOldMessages(
  em: EntityManager,
  kinds: readonly number[],
  {
    after,
    overdueSeconds = 20,
  }: { readonly after?: string | undefined; readonly overdueSeconds?: number } = {},
): Promise<ScanPage<WaitingEndpoint>> {
  const page = await rowsOf(
    em,
    EndpointRow,
    sql`with recursive waiting as (${endpointsWithPending(after)})
       select x.endpoint_id as id, w.public_id, (select k.public_id from api_key k where k.id = w.api_key_id) as key_id
       from (select endpoint_id from waiting limit ${sql.lit(pageSize)}) x left join lateral (
         select * from webhook_endpoint w where w.id = x.endpoint_id
           and exists (select from delivery d where d.endpoint_id = w.id and d.status = ${sql.lit(messageStatuses.pending)}
             and d.next_at < now() - ${sql.lit(overdueSeconds)} * interval '1 second'
             and (d.claimed_until is null or d.claimed_until < now()))
           and ${awaitsWorker(kinds)}) w on true`,
  );
  const found = page.flatMap(({ public_id: endpointId, key_id: keyId }) =>
    endpointId === null || keyId === null ? [] : [{ endpointId, keyId }],
  );
  return { found, next: nextOf(page) };
}
