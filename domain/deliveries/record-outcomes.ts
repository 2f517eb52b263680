import { sql } from 'kysely';
import { inTransaction, type EntityManager, type Orm } from '../../platform/database/orm.ts';
import type { StoredAttempt } from '../notices/attempt.ts';
import { providerNumbers, type ProviderName } from '../notices/channels.ts';
import { finalStatuses, reasonNumbers, type FinalStatus, type StatusReason } from '../notices/statuses.ts';
import { suppressionReasons } from '../notices/suppression.entity.ts';
import { tablesOf } from '../tables.ts';
import type { ClaimedDelivery } from './claim-deliveries.ts';
import { lockReaders, unfencedPairs } from './read-notices.ts';
import {
  createDeliveries,
  endNotices,
  loggable,
  removeNotices,
  type EndedNotice,
  type Lane,
  type NewDelivery,
} from './write-deliveries.ts';

/** The outcome of a claimed delivery. `attempts` replace those of the claim. */
export type RecordedOutcome =
  | {
      readonly kind: 'ended';
      readonly delivery: ClaimedDelivery;
      readonly attempts: readonly StoredAttempt[];
      readonly status: FinalStatus;
      readonly reason: StatusReason | null;
      readonly provider: ProviderName | null;
      /** The provider's id of the message. */
      readonly reference: string | null;
      /** Hash of the unknown address for the suppression list. */
      readonly suppress: Buffer | null;
    }
  | {
      /** The delivery is sent again in `waitMs`. */
      readonly kind: 'waits';
      readonly delivery: ClaimedDelivery;
      readonly attempts: readonly StoredAttempt[];
      readonly waitMs: number;
    }
  /** Its notices were removed, so it is deleted without a record. */
  | { readonly kind: 'removed'; readonly delivery: ClaimedDelivery };

/** Outcomes of one claim, and notices that leave digests. */
export interface SendingOutcomes {
  readonly recorded: readonly RecordedOutcome[];
  /** New deliveries of notices that go to another address than the rest of their digest. */
  readonly moved: readonly NewDelivery[];
  readonly dropped: readonly EndedNotice[];
  readonly removed: readonly string[];
}

/**
 * Records outcomes in one transaction. Skips a delivery that another sender has claimed since; deletes one without a
 * record when its user's data is being deleted.
 */
export async function recordOutcomes(orm: Orm, lane: Lane, outcomes: SendingOutcomes): Promise<void> {
  await inTransaction(orm, async (em) => recordWithin(em, lane, outcomes));
}

/** The same in the transaction of `em`. A caller that locks deliveries before must have locked their readers first. */
export async function recordWithin(
  em: EntityManager,
  lane: Lane,
  { recorded, moved, dropped, removed }: SendingOutcomes,
): Promise<void> {
  const deliveries = [...recorded.map(({ delivery }) => delivery), ...moved];
  await lockReaders(
    em,
    deliveries.map(({ user }) => user),
  );
  const unfenced = await unfencedPairs(em, deliveries);
  const isKept = ({ user, organization }: Pick<ClaimedDelivery, 'user' | 'organization'>): boolean =>
    unfenced.has(`${user} ${organization}`);
  await endNotices(em, lane, dropped);
  await removeNotices(em, lane, removed);
  // A deletion of the user's data removes the notices from the digest.
  await createDeliveries(em, lane, moved.filter(isKept), sql<Date>`now()`);
  await endDeliveries(
    em,
    lane,
    recorded.filter((one) => one.kind === 'ended' && isKept(one.delivery)).filter(isEnded),
  );
  await releaseDeliveries(
    em,
    lane,
    recorded.filter((one) => one.kind === 'waits' && isKept(one.delivery)).filter(isWaiting),
  );
  await eraseDeliveries(
    em,
    lane,
    recorded.flatMap((one) => (one.kind === 'removed' || !isKept(one.delivery) ? [one.delivery] : [])),
  );
}

type Ended = Extract<RecordedOutcome, { kind: 'ended' }>;
type Waiting = Extract<RecordedOutcome, { kind: 'waits' }>;
const isEnded = (one: RecordedOutcome): one is Ended => one.kind === 'ended';
const isWaiting = (one: RecordedOutcome): one is Waiting => one.kind === 'waits';

/** Moves deliveries and their notices to the log, in one statement. */
async function endDeliveries(em: EntityManager, { tenantId }: Lane, ended: readonly Ended[]): Promise<void> {
  if (ended.length === 0) return;
  const ids = sql`${ended.map(({ delivery }) => delivery.id)}::bigint[]`;
  await sql`with k as (
      select * from unnest(${ids}, ${ended.map(({ delivery }) => delivery.claimed_until)}::timestamptz[],
        ${ended.map(({ status }) => finalStatuses[status])}::smallint[],
        ${ended.map(({ reason }) => reason && reasonNumbers[reason])}::smallint[],
        ${ended.map(({ provider }) => provider && providerNumbers[provider])}::smallint[],
        ${ended.map(({ reference }) => reference)}::text[], ${ended.map(({ attempts }) => JSON.stringify(attempts))}::text[],
        ${ended.map(({ suppress }) => suppress)}::bytea[])
        as t (id, token, status, reason, provider, reference, attempts, suppress)),
    gone as (
      delete from outgoing o using k
      where o.id = k.id and o.id = any(${ids}) and o.api_key_id = ${tenantId} and o.claimed_until = k.token
      returning o.id, o.created_at, o.org_id, o.user_id, o.channel, o.digest, o.public_id),
    loggable as (${loggable}),
    taken as (
      delete from notice n using gone g where n.delivery_id = g.id and n.delivery_id = any(${ids})
      returning n.delivery_id, n.notification_id, n.document_id),
    logged as (
      insert into delivery_log (id, at, api_key_id, org_id, user_id, channel, provider, status, reason, digest, public_id, provider_ref,
        attempts, ended_at)
      select g.id, g.created_at, ${tenantId}, g.org_id, g.user_id, g.channel, k.provider, k.status, k.reason,
        g.digest and (k.status <> ${sql.lit(finalStatuses.sent)} or (select count(*) > 1 from taken t where t.delivery_id = g.id)),
        g.public_id, k.reference, k.attempts::json, now()
      from loggable g join k on k.id = g.id),
    suppressed as (
      insert into mail_suppression (api_key_id, address_hash, reason)
      select distinct ${tenantId}::bigint, k.suppress, ${sql.lit(suppressionReasons.bounced)}::smallint
      from gone g join k on k.id = g.id where k.suppress is not null
      on conflict do nothing)
    insert into delivery_item (at, delivery_id, notification_id, document_id)
    select g.created_at, g.id, t.notification_id, t.document_id from loggable g join taken t on t.delivery_id = g.id
    on conflict do nothing`.execute(tablesOf(em));
}

async function releaseDeliveries(
  em: EntityManager,
  { tenantId }: Lane,
  waiting: readonly Waiting[],
): Promise<void> {
  if (waiting.length === 0) return;
  const ids = sql`${waiting.map(({ delivery }) => delivery.id)}::bigint[]`;
  await sql`update outgoing o set attempts = k.attempts::json, claimed_until = null,
      next_at = case when k.wait_ms > 0 then now() + k.wait_ms * interval '1 millisecond' else o.next_at end
    from unnest(${ids}, ${waiting.map(({ delivery }) => delivery.claimed_until)}::timestamptz[],
        ${waiting.map(({ attempts }) => JSON.stringify(attempts))}::text[], ${waiting.map(({ waitMs }) => waitMs)}::float8[])
      as k (id, token, attempts, wait_ms)
    where o.id = k.id and o.id = any(${ids}) and o.api_key_id = ${tenantId} and o.claimed_until = k.token`.execute(
    tablesOf(em),
  );
}

async function eraseDeliveries(
  em: EntityManager,
  { tenantId }: Lane,
  gone: readonly ClaimedDelivery[],
): Promise<void> {
  if (gone.length === 0) return;
  const ids = sql`${gone.map(({ id }) => id)}::bigint[]`;
  await sql`with notices as (delete from notice where delivery_id = any(${ids}) and api_key_id = ${tenantId})
    delete from outgoing where id = any(${ids}) and api_key_id = ${tenantId}`.execute(tablesOf(em));
}
