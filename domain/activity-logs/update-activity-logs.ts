import { sql, type RawBuilder } from 'kysely';
import { keysLiteral } from '../../platform/database/array-literal.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { anyOf, anyOfIds } from '../../platform/database/statements.ts';
import { eachItem, inTurns } from '../../platform/process/in-turns.ts';
import { required } from '../../platform/process/required.ts';
import { done, failed, type Outcome, type Outcomes } from '../batch.ts';
import { byteChunks } from '../byte-chunks.ts';
import { isInVisibleDocument } from '../documents/resolve-document.ts';
import { isInOpenRemoval } from '../jobs/open-removals.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { lockPeople } from '../users/lock-named.ts';
import { withKnownUsers } from '../users/known-users.ts';
import type { LockedUsers } from '../users/lock-users.ts';
import { distinctNames, indexRecords } from '../users/name-index.ts';
import { namedPeople, type NamedPeople } from '../users/named-users.ts';
import { refuseManyUsers } from '../users/refuse-many-users.ts';
import { unnamingUsers } from '../users/unname-users.ts';
import { addUsersInThreads } from '../users/users-in-threads.ts';
import { activityLogKind, maxActivityLogBytes, writeBody, type WrittenBody } from './activity-log.ts';
import { featureNumbers, type ActivityLogBody } from './activity-log.entity.ts';

/** Members that replace the stored ones, never merged. */
export interface ActivityLogPatch {
  readonly id: string;
  readonly members: Readonly<Record<string, unknown>>;
}

const refusal = (code: 'not-found' | 'failed-precondition' | 'invalid-argument'): Outcome =>
  failed(code, 'Failed to update activity.');

/**
 * Updates existing records. A missing or immutable record fails alone, and so does one that would grow beyond the limit of
 * a new record: logs of comments may be larger. Reads and writes at most 2 MiB of records at a time. Emits no events.
 */
export async function updateActivityLogs(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  patches: readonly ActivityLogPatch[],
): Promise<Outcomes> {
  const existing = await lockRecords(
    em,
    organization,
    patches.map(({ id }) => id),
  );
  const immutable = tenant.switches.activityLogsImmutable;
  const found = immutable ? [] : patches.filter(({ id }) => existing.has(id));
  const comments = new Set([...existing].flatMap(([id, { ofComment }]) => (ofComment ? [id] : [])));
  const users = await lockPeople(em, tenant, namedInPatches(found, comments), [organization.id]);
  const large = new Set<string>();
  for (const chunk of byteChunks(found, ({ id }) => existing.get(id)?.bytes ?? 0)) {
    const bodies = await readBodies(
      em,
      organization,
      chunk.flatMap(({ id }) => existing.get(id)?.id ?? []),
    );
    const changed = await inTurns(eachItem(chunk, (patch) => changedBy(patch, existing, bodies)));
    for (const { id, json } of changed)
      if (Buffer.byteLength(json) > Math.max(maxActivityLogBytes, existing.get(id)?.bytes ?? 0))
        large.add(id);
    const fitting = changed.filter(({ id }) => !large.has(id));
    if (fitting.length === 0) continue;
    const named = fitting.flatMap(({ mentioned }) => [...mentioned]);
    await write(em, tenant, organization, fitting, await withKnownUsers(em, tenant.id, users, named));
  }
  return new Map(
    patches.map(({ id }) => {
      if (!existing.has(id)) return [id, refusal('not-found')];
      if (immutable) return [id, refusal('failed-precondition')];
      return [id, large.has(id) ? refusal('invalid-argument') : done('Activity updated.')];
    }),
  );
}

/**
 * People that patches name. Those that kept members name passed the write fence when they were written. `comments`: ids of
 * the logs of comments, whose members name further users. Throws INVALID_ARGUMENT for too many: a call does so without
 * `comments` before anything is looked up.
 */
export function namedInPatches(
  patches: readonly ActivityLogPatch[],
  comments: ReadonlySet<string> = new Set(),
): NamedPeople {
  const named = namedPeople(...patches.map(({ members }) => Object.values(members)));
  const ofComments = patches.filter(({ id }) => comments.has(id)).map(({ members }) => members);
  addUsersInThreads(named.userIds, ofComments);
  refuseManyUsers(named.userIds.size, 'activities');
  return named;
}

interface LockedRecord {
  readonly id: string;
  readonly bytes: number;
  readonly ofComment: boolean;
}

/** SQL: whether a job is still to remove a record `activity` of an organization, whose deletion has returned. */
const isLeftToJob = (organization: string): RawBuilder<boolean> =>
  isInOpenRemoval(
    'activities',
    organization,
    sql`(o.selection ->> 'upTo')::bigint as up_to, (o.selection ->> 'document')::bigint as document_id,
      o.selection ->> 'targetEntityId' as target`,
    sql`m.up_to >= activity.id and (m.document_id is null or m.document_id = activity.document_id)
      and (m.target is null or m.target = activity.target_entity_id)`,
  );

/** Locks records without reading their bodies, which may have 256 KiB each. */
async function lockRecords(
  em: EntityManager,
  organization: ResolvedOrganization,
  ids: readonly string[],
): Promise<ReadonlyMap<string, LockedRecord>> {
  const found = await tablesOf(em)
    .selectFrom('activity')
    .select(['id', 'ext_id'])
    .select([
      sql<number>`octet_length(body::text)`.as('bytes'),
      sql<boolean>`feature = ${sql.lit(featureNumbers.comment)}`.as('ofComment'),
    ])
    .where('org_id', '=', organization.id)
    .where('ext_id', '=', anyOf(ids))
    .where(isInVisibleDocument(sql.ref('activity.document_id')))
    .where(sql<boolean>`not ${isLeftToJob(organization.id)}`)
    .orderBy('ext_id')
    .forNoKeyUpdate()
    .execute();
  return new Map(found.map(({ ext_id, ...row }) => [ext_id, row]));
}

async function readBodies(
  em: EntityManager,
  organization: ResolvedOrganization,
  rows: readonly string[],
): Promise<ReadonlyMap<string, ActivityLogBody>> {
  const found = await tablesOf(em)
    .selectFrom('activity')
    .select(['id', 'body'])
    .where('id', '=', anyOfIds(rows))
    .where('org_id', '=', organization.id)
    .execute();
  return new Map(found.map(({ id, body }) => [id, body]));
}

type Changed = WrittenBody & { readonly id: string; readonly row: string };

function changedBy(
  { id, members }: ActivityLogPatch,
  existing: ReadonlyMap<string, LockedRecord>,
  bodies: ReadonlyMap<string, ActivityLogBody>,
): Changed {
  const row = required(existing.get(id)?.id, 'row of a locked record');
  const body = required(bodies.get(row), 'body of a locked record');
  return { id, row, ...writeBody({ ...body, ...members }) };
}

async function write(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  changed: readonly Changed[],
  users: LockedUsers,
): Promise<void> {
  const surrogates = changed.map(({ mentioned }) => [...mentioned].flatMap((name) => users.get(name) ?? []));
  await sql`with sent as (
      select * from unnest(${changed.map(({ row }) => row)}::bigint[], ${surrogates.map(keysLiteral)}::text[],
        ${changed.map(({ hash }) => hash)}::bytea[], ${changed.map(({ json }) => json)}::json[]) as t (id, mentioned, hash, body)),
    written as (
      update activity a set body = s.body, content_hash = s.hash, mentioned = s.mentioned::bigint[]
      from sent s where a.id = s.id and a.org_id = ${organization.id} and a.api_key_id = ${tenant.id} returning a.id, a.mentioned),
    unnamed as (${unnamingUsers('activity', activityLogKind)})
    insert into record_user (user_id, kind, record_id, api_key_id, org_id)
    select u.id, ${sql.lit(activityLogKind)}, w.id, ${tenant.id}, ${organization.id}
    from written w cross join lateral unnest(w.mentioned) as u (id)
    on conflict do nothing`.execute(tablesOf(em));
  await indexRecords(
    em,
    tenant,
    'activity',
    changed.map(({ row, names }) => ({ id: row, names: distinctNames(names) })),
  );
}
