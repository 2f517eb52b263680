import { sql, type RawBuilder } from 'kysely';
import { keysLiteral } from '../../platform/database/array-literal.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { jsonList } from '../../platform/json/write-json.ts';
import type { LockedLocation } from '../documents/lock-location.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { countUsage } from '../tenancy/usage.ts';
import { blockBits, bounded, distinctNames, indexPairs } from '../users/name-index.ts';
import type { LockedUsers } from '../users/lock-users.ts';
import { unnamingUsers } from '../users/unname-users.ts';
import { featureNumbers } from './activity-log.entity.ts';
import { activityLogKind, namesInLogs, type PreparedActivityLog } from './activity-log.ts';

/** A record with its location and its time, in milliseconds since the epoch. */
export interface LocatedActivityLog {
  readonly activityLog: PreparedActivityLog;
  readonly location: LockedLocation;
  readonly at: number;
}

/** Surrogate keys of the locked users. */
export function surrogates(names: Iterable<string>, users: LockedUsers): string[] {
  const ids: string[] = [];
  for (const name of names) {
    const id = users.get(name);
    if (id !== undefined) ids.push(id);
  }
  return ids;
}

/** The mentioned users as an array literal. Most records mention none. */
const mentionedUsers = ({ activityLog: { mentioned }, location }: LocatedActivityLog): string =>
  mentioned.size === 0 ? '{}' : keysLiteral(surrogates(mentioned, location.users));

/** Inserts in the order of ids, which prevents deadlocks between batches. */
const insertion = ({ id }: Tenant, { activityLogs: written, bodies }: ActivityLogBatch) => sql`
  insert into activity (api_key_id, org_id, document_id, ext_id, ts, feature, action_type, actor_id, target_entity_id, mentioned, content_hash, body)
  select ${id}, org_id, document_id, ext_id, ts, feature, action_type, actor_id, target, mentioned::bigint[], hash, body
  from rows from (
      unnest(${written.map(({ location }) => location.organization)}::bigint[], ${written.map(({ location }) => location.document)}::bigint[],
        ${written.map(({ activityLog }) => activityLog.id)}::text[], ${written.map(({ at }) => at)}::bigint[],
        ${written.map(({ activityLog }) => featureNumbers[activityLog.body.featureType])}::smallint[],
        ${written.map(({ activityLog }) => activityLog.body.actionType)}::text[],
        ${written.map(({ activityLog, location }) => location.users.get(activityLog.body.actionUser.userId))}::bigint[],
        ${written.map(({ activityLog }) => activityLog.body.targetEntityId ?? null)}::text[],
        ${written.map(mentionedUsers)}::text[],
        ${written.map(({ activityLog }) => activityLog.hash)}::bytea[]),
      json_array_elements(${bodies}::json))
    as t (org_id, document_id, ext_id, ts, feature, action_type, actor_id, target, mentioned, hash, body)
  order by org_id, ext_id collate "C"`;

const overwriting = (tenant: Tenant, others: ActivityLogBatch) => sql`${insertion(tenant, others)}
  on conflict (org_id, ext_id) do update set document_id = excluded.document_id, ts = excluded.ts, feature = excluded.feature,
    action_type = excluded.action_type, actor_id = excluded.actor_id, target_entity_id = excluded.target_entity_id,
    mentioned = excluded.mentioned, content_hash = excluded.content_hash, body = excluded.body`;

/** SQL: writes records, and a `record_user` row for each user that one of them names. */
const naming = ({ id }: Tenant, write: RawBuilder<unknown>, also = sql``) => sql`
  with written as (${write} returning id, org_id, mentioned)${also}
  insert into record_user (user_id, kind, record_id, api_key_id, org_id)
  select u.id, ${sql.lit(activityLogKind)}, w.id, ${id}, w.org_id from written w cross join lateral unnest(w.mentioned) as u (id)
  on conflict do nothing`;

const bits = sql.lit(blockBits.activity);

/** Indexes all names for the blocks of the new records: the records of one call lie in one or two blocks. */
const indexing = (tenant: Tenant, names: readonly string[]) => sql`,
  indexed as (${indexPairs(
    tenant,
    'activity',
    sql`select b.id, n.name from (select distinct (w.id >> ${bits}) << ${bits} as id from written w) b
      cross join unnest(${names}::text[]) as n (name)`,
  )})`;

/**
 * Inserts new records without conflict handling, which is slower, and overwrites the others in a second statement. A
 * concurrent insert of a new id fails as a duplicate, and the retry finds it.
 */
export async function writeActivityLogs(
  em: EntityManager,
  tenant: Tenant,
  { added, others }: { readonly added: ActivityLogBatch; readonly others: ActivityLogBatch },
): Promise<void> {
  await Promise.all([
    addNew(em, tenant, added),
    overwrite(em, tenant, others),
    indexOverwritten(em, tenant, others),
  ]);
}

/** Records, and a JSON array of their bodies in the same order. */
export interface ActivityLogBatch {
  readonly activityLogs: readonly LocatedActivityLog[];
  readonly bodies: string | Buffer;
}

/** One JSON text: a PostgreSQL array would escape the quotation marks of every body. */
export async function activityLogBatch(
  activityLogs: readonly LocatedActivityLog[],
): Promise<ActivityLogBatch> {
  return { activityLogs, bodies: await jsonList(activityLogs.map(({ activityLog }) => activityLog.json)) };
}

async function addNew(em: EntityManager, tenant: Tenant, added: ActivityLogBatch): Promise<void> {
  if (added.activityLogs.length === 0) return;
  const names = distinctNames(namesInLogs(added.activityLogs.map(({ activityLog }) => activityLog)));
  const named = added.activityLogs.some(({ activityLog }) => activityLog.mentioned.size > 0);
  const write = insertion(tenant, added);
  const statement =
    names.length > 0
      ? naming(tenant, write, indexing(tenant, bounded(names)))
      : named
        ? naming(tenant, write)
        : write;
  await statement.execute(tablesOf(em));
  countUsage(em, tenant.id, 'activityLogs', added.activityLogs.length);
}

async function overwrite(em: EntityManager, tenant: Tenant, others: ActivityLogBatch): Promise<void> {
  if (others.activityLogs.length === 0) return;
  const unnamed = sql`, unnamed as (${unnamingUsers('activity', activityLogKind)})`;
  await naming(tenant, overwriting(tenant, others), unnamed).execute(tablesOf(em));
}

/** Runs after the overwrite, which may insert rows. */
async function indexOverwritten(
  em: EntityManager,
  tenant: Tenant,
  { activityLogs: written }: ActivityLogBatch,
): Promise<void> {
  const pairs = written.flatMap(({ activityLog, location }) =>
    bounded(distinctNames(activityLog.names)).map(
      (name) => [location.organization, activityLog.id, name] as const,
    ),
  );
  if (pairs.length === 0) return;
  const records = sql`select a.id, t.name
    from unnest(${pairs.map(([organization]) => organization)}::bigint[], ${pairs.map(([, id]) => id)}::text[],
      ${pairs.map(([, , name]) => name)}::text[]) as t (org_id, ext_id, name)
    cross join lateral (select a.id from activity a where a.org_id = t.org_id and a.ext_id = t.ext_id offset 0) a`;
  await indexPairs(tenant, 'activity', records).execute(tablesOf(em));
}
