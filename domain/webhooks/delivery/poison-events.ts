import { sql } from 'kysely';
import { z } from 'zod';
import { codeOf } from '../../../platform/process/error-code.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { rowOf } from '../../../platform/database/statements.ts';
import { tablesOf } from '../../tables.ts';

/*
 * An event whose own data fails the statement that creates its messages must not block the other events of its key. It
 * leaves the outbox, is retried, and is set aside after its last attempt.
 */

/** Attempts after which an event is set aside. */
const maxAttempts = 5;

/** Seconds before the second attempt; doubles with each further one. */
const firstRetrySeconds = 15;

const classes: Readonly<Record<string, string>> = {
  22: 'data exception',
  23: 'integrity constraint',
  54: 'program limit',
  P0: 'raised exception',
};

/**
 * Returns the class of a failure that the data of one event may cause, such as `integrity constraint (23505)`. Undefined
 * for other failures: they affect every event, so their batch is retried.
 */
export function poisonReason(error: unknown): string | undefined {
  const code = codeOf(error);
  if (!/^[0-9A-Z]{5}$/.test(code)) return undefined;
  const named = classes[code.slice(0, 2)];
  return named && `${named} (${code})`;
}

/** An event that was set aside, by public id. */
export interface PoisonedEvent {
  readonly eventId: string;
  readonly reason: string;
}

/** SQL: the time of the next attempt after `attempts` failed ones; null after the last. */
const nextAttempt = (attempts: ReturnType<typeof sql>) => sql`case when ${attempts} < ${sql.lit(maxAttempts)}
  then now() + ${sql.lit(firstRetrySeconds)} * interval '1 second' * 2 ^ (${attempts} - 1) end`;

const FailedRow = z.strictObject({ public_id: z.string(), set_aside: z.boolean() });

/** Records a failed attempt of an event, which leaves the outbox. Returns the event once it is set aside. */
export async function recordFailure(
  em: EntityManager,
  {
    tenantId,
    eventId,
    reason,
  }: { readonly tenantId: string; readonly eventId: string; readonly reason: string },
): Promise<PoisonedEvent | undefined> {
  const failed = await rowOf(
    em,
    FailedRow,
    sql`with taken as (
        delete from outbox where api_key_id = ${tenantId} and event_id = ${eventId} returning event_at),
      known as (
        update poison_event p set attempts = p.attempts + 1, reason = ${reason}, failed_at = now(),
          next_at = ${nextAttempt(sql`p.attempts + 1`)}
        where p.api_key_id = ${tenantId} and p.event_id = ${eventId} returning p.event_at, p.next_at),
      added as (
        insert into poison_event (api_key_id, event_id, event_at, reason, next_at)
        select ${tenantId}, ${eventId}, event_at, ${reason}, ${nextAttempt(sql`1`)} from taken where not exists (select from known)
        returning event_at, next_at)
      select e.public_id, f.next_at is null as set_aside
      from (select * from known union all select * from added) f join event e on e.api_key_id = ${tenantId} and e.at = f.event_at and e.id = ${eventId}`,
  );
  return failed?.set_aside === true ? { eventId: failed.public_id, reason } : undefined;
}

/** Max events per turn that are retried. */
export const maxRetried = 100;

/** Returns the surrogate keys of the events of a key whose next attempts have been due longest, in order of recording. */
export async function dueEvents(em: EntityManager, tenantId: string): Promise<string[]> {
  const due = await tablesOf(em)
    .selectFrom((next) =>
      next
        .selectFrom('poison_event')
        .select('event_id')
        .where('api_key_id', '=', tenantId)
        .where('next_at', '<=', sql<Date>`now()`)
        .orderBy('next_at')
        .limit(sql.lit(maxRetried))
        .as('due'),
    )
    .select('event_id')
    .orderBy('event_id')
    .execute();
  return due.map(({ event_id }) => event_id);
}

/** Returns the surrogate keys of a key's oldest events in the outbox. */
export async function nextEvents(em: EntityManager, tenantId: string, max: number): Promise<string[]> {
  const next = await tablesOf(em)
    .selectFrom('outbox')
    .select('event_id')
    .where('api_key_id', '=', tenantId)
    .orderBy('event_id')
    .limit(max)
    .execute();
  return next.map(({ event_id }) => event_id);
}
