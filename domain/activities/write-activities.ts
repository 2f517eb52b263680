import type { LockedPlace } from '../documents/lock-place.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { blockBits, bounded, distinctNames, indexPairs } from '../users/name-index.ts';
import type { LockedUsers } from '../users/lock-users.ts';
import { rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { jsonList } from '../../platform/json/write-json.ts';
import { activityRecordKind, featureNumber, type PreparedActivity } from './activity.ts';

/** A record, where it goes and when it happened, in milliseconds. */
export type PlacedActivity = PreparedActivity & { readonly place: LockedPlace; readonly at: number };

/** Surrogate keys of those that were locked. */
export const surrogates = (names: Iterable<string>, users: LockedUsers): string[] =>
  [...names].map((name) => users.get(name)).filter((id) => id !== undefined);

/** Rows go in the order of their ids, so two batches never wait for each other in a ring. */
const insertion = `
  insert into activity (api_key_id, org_id, document_id, ext_id, ts, feature, action_type, actor_id, target_entity_id, mentioned, content_hash, body)
  select $1, org_id, document_id, ext_id, ts, feature, action_type, actor_id, target, mentioned::bigint[], hash, body
  from rows from (
      unnest($2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::smallint[], $7::text[], $8::bigint[], $9::text[], $10::text[], $11::bytea[]),
      json_array_elements($12::json))
    as t (org_id, document_id, ext_id, ts, feature, action_type, actor_id, target, mentioned, hash, body)
  order by org_id, ext_id collate "C"`;

const overwriting = `${insertion}
  on conflict (org_id, ext_id) do update set document_id = excluded.document_id, ts = excluded.ts, feature = excluded.feature,
    action_type = excluded.action_type, actor_id = excluded.actor_id, target_entity_id = excluded.target_entity_id,
    mentioned = excluded.mentioned, content_hash = excluded.content_hash, body = excluded.body`;

/** SQL: also writes down whom the records name. */
const naming = (write: string, also = ''): string => `
  with written as (${write} returning id, org_id, mentioned)${also}
  insert into record_user (user_id, kind, record_id, api_key_id, org_id)
  select u.id, ${String(activityRecordKind)}, w.id, $1, w.org_id from written w cross join lateral unnest(w.mentioned) as u (id)
  on conflict do nothing`;

/** SQL: and the names of new records, of which all stand for each: the records of one call lie in one or two blocks. */
const blocks = 'select distinct (w.id >> $n) << $n as id from written w'.replaceAll(
  '$n',
  String(blockBits.activity),
);
const indexing = `,
  indexed as (${indexPairs('activity', `select b.id, n.name from (${blocks}) b cross join unnest($13::text[]) as n (name)`)})`;

const statements = {
  new: insertion,
  newNaming: naming(insertion),
  newIndexing: naming(insertion, indexing),
  overwriting: naming(overwriting),
} as const;

/**
 * New records in one statement, others in a second. To be ready for a conflict has its price, which new ones do not pay: one
 * that somebody else has written meanwhile fails as a duplicate, and the next try finds it.
 */
export async function writeActivities(
  em: EntityManager,
  tenant: Tenant,
  { added, others }: { readonly added: ActivityBatch; readonly others: ActivityBatch },
): Promise<void> {
  await Promise.all([
    addNew(em, tenant, added),
    send(em, statements.overwriting, tenant, others),
    indexOverwritten(em, tenant, others),
  ]);
}

/** Records, and a list of what each has in its `json`. */
export interface ActivityBatch {
  readonly activities: readonly PlacedActivity[];
  readonly bodies: string | Buffer;
}

/** As one text: in a list each would be written with its quotation marks escaped, and read so. */
export async function activityBatch(activities: readonly PlacedActivity[]): Promise<ActivityBatch> {
  return { activities, bodies: await jsonList(activities.map(({ json }) => json)) };
}

async function addNew(em: EntityManager, tenant: Tenant, added: ActivityBatch): Promise<void> {
  const names = distinctNames(added.activities.flatMap((activity) => activity.names));
  if (names.length > 0) return send(em, statements.newIndexing, tenant, added, [bounded(names)]);
  const named = added.activities.some(({ mentioned }) => mentioned.size > 0);
  return send(em, named ? statements.newNaming : statements.new, tenant, added);
}

/** Goes behind the statement that writes them: it may make some. */
async function indexOverwritten(
  em: EntityManager,
  tenant: Tenant,
  { activities: written }: ActivityBatch,
): Promise<void> {
  const pairs = written.flatMap(({ id, place, names }) =>
    bounded(names).map((name) => [place.organization, id, name] as const),
  );
  if (pairs.length === 0) return;
  await rows(em, indexingOverwritten, [
    tenant.id,
    pairs.map(([organization]) => organization),
    pairs.map(([, id]) => id),
    pairs.map(([, , name]) => name),
  ]);
}

const indexingOverwritten = indexPairs(
  'activity',
  `select a.id, t.name from unnest($2::bigint[], $3::text[], $4::text[]) as t (org_id, ext_id, name)
     cross join lateral (select a.id from activity a where a.org_id = t.org_id and a.ext_id = t.ext_id offset 0) a`,
);

async function send(
  em: EntityManager,
  statement: string,
  tenant: Tenant,
  { activities: written, bodies }: ActivityBatch,
  also: readonly unknown[] = [],
): Promise<void> {
  if (written.length === 0) return;
  await rows(em, statement, [
    tenant.id,
    written.map(({ place }) => place.organization),
    written.map(({ place }) => place.document),
    written.map(({ id }) => id),
    written.map(({ at }) => at),
    written.map(({ body }) => featureNumber(body.featureType)),
    written.map(({ body }) => body.actionType),
    written.map(({ body, place }) => place.users.get(body.actionUser.userId)),
    written.map(({ body }) => body.targetEntityId ?? null),
    written.map(({ mentioned, place }) => `{${surrogates(mentioned, place.users).join(',')}}`),
    written.map(({ hash }) => hash),
    bodies,
    ...also,
  ]);
}
