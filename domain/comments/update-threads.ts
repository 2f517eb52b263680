import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { jsonList } from '../../platform/json/write-json.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { LockedUsers } from '../users/lock-users.ts';
import { indexRecords } from '../users/name-index.ts';
import { namedUsers } from '../users/named-users.ts';
import { mergedRoles } from './move-people.ts';
import type { WrittenThread } from './prepare-annotation.ts';
import type { StoredThread } from './read-states.ts';
import type { ContentChange } from './rewrite-reactions.ts';
import { suggestionStatusNumbers, visibilityNumbers } from './thread.entity.ts';
import { refuseManyInvolved } from './thread-limits.ts';
import { addRole, threadRoles } from './thread-person.entity.ts';
import { sameJson, visibilityOf, type ThreadState } from './updated-thread.ts';
import { writeAudience } from './visibility.ts';
import { actorRole, addRoles, type ThreadRole } from './write-comments.ts';

/** A locked thread with its state after an update. */
export interface ChangedThread {
  readonly before: StoredThread;
  /** The state before `updatedData`, with users replaced. */
  readonly replaced: ThreadState;
  readonly after: ThreadState;
  /** The stored body does not change. */
  readonly sameBody: boolean;
  readonly written: WrittenThread;
  readonly content: ContentChange | undefined;
  /** Milliseconds. */
  readonly updatedAt: number;
}

/** Surrogate keys of the call. Users are those that the call names; the actor is null when unknown. */
export interface UpdateKeys {
  readonly organization: string;
  readonly users: LockedUsers;
  readonly actor: string | null;
}

/** Writes changed threads with their users, audience and names. */
export async function updateThreads(
  em: EntityManager,
  tenant: Tenant,
  keys: UpdateKeys,
  threads: readonly ChangedThread[],
): Promise<void> {
  if (threads.length === 0) return;
  await updateRows(em, keys, threads);
  await updateRoles(em, tenant, keys, threads);
  await replaceAudience(em, tenant, keys.users, threads);
  await indexRecords(
    em,
    tenant,
    'thread',
    threads.map(({ before: { id }, written: { names } }) => ({ id, names })),
  );
}

async function updateRows(
  em: EntityManager,
  { actor }: UpdateKeys,
  threads: readonly ChangedThread[],
): Promise<void> {
  const rows = threads.map(({ before, after, sameBody, content, updatedAt }) => ({
    id: before.id,
    location: after.body.location === undefined ? null : String(after.body.location.id),
    creator: after.creator,
    status: after.body.status.id,
    suggestion: after.suggestion === null ? null : suggestionStatusNumbers[after.suggestion],
    visibility: visibilityNumbers[visibilityOf(after.body).type],
    resolver: after.resolver,
    createdAt: after.createdAt,
    updatedAt,
    reactions: content?.reactions ?? 0,
    bytes: content?.bytes ?? 0,
    sameBody,
  }));
  const ids = rows.map(({ id }) => id);
  const bodies = await jsonList(threads.map(({ sameBody, written }) => (sameBody ? 'null' : written.json)));
  // PostgreSQL does not rewrite a large body that equals the stored one.
  await sql`update thread t set location_id = s.location_id, creator_id = s.creator_id, status_id = s.status_id,
      suggestion = s.suggestion, visibility = s.visibility, resolver_id = s.resolver_id, last_actor_id = ${actor}::bigint,
      created_at = s.created_at, updated_at = s.updated_at, reaction_count = t.reaction_count + s.reactions,
      content_bytes = t.content_bytes + s.bytes, body = case when s.same_body then t.body else s.body end
    from rows from (
        unnest(${ids}::bigint[], ${rows.map(({ location }) => location)}::text[],
          ${rows.map(({ creator }) => creator)}::bigint[], ${rows.map(({ status }) => status)}::text[],
          ${rows.map(({ suggestion }) => suggestion)}::smallint[], ${rows.map(({ visibility }) => visibility)}::smallint[],
          ${rows.map(({ resolver }) => resolver)}::bigint[], ${rows.map(({ createdAt }) => createdAt)}::bigint[],
          ${rows.map(({ updatedAt }) => updatedAt)}::bigint[], ${rows.map(({ reactions }) => reactions)}::int[],
          ${rows.map(({ bytes }) => bytes)}::int[], ${rows.map((row) => row.sameBody)}::boolean[]),
        json_array_elements(${bodies}::json))
      as s (id, location_id, creator_id, status_id, suggestion, visibility, resolver_id, created_at, updated_at, reactions, bytes,
        same_body, body)
    where t.id = s.id and t.id = any(${ids}::bigint[])`.execute(tablesOf(em));
}

/** Roles that one user has in a thread. */
const singleRoles = threadRoles.assignee | threadRoles.resolver | threadRoles.statusUpdater;

async function updateRoles(
  em: EntityManager,
  tenant: Tenant,
  { organization, users, actor }: UpdateKeys,
  threads: readonly ChangedThread[],
): Promise<void> {
  const ids = threads.map(({ before }) => before.id);
  const assigned = threads.filter(({ replaced, after }) => assigneeOf(replaced) !== assigneeOf(after));
  const reassigned = new Set(assigned.map(({ before }) => before.id));
  const cleared = threads.map(({ before: { id } }) =>
    reassigned.has(id) ? singleRoles : singleRoles & ~threadRoles.assignee,
  );
  await sql`update thread_person p set roles = p.roles & ~s.cleared
    from unnest(${ids}::bigint[], ${cleared}::smallint[]) as s (thread_id, cleared)
    where p.thread_id = s.thread_id and p.thread_id = any(${ids}::bigint[]) and p.roles & s.cleared <> 0`.execute(
    tablesOf(em),
  );
  const roles = threads.flatMap((thread) => [
    ...rolesOf(thread, users),
    ...actorRole(thread.before.id, actor),
  ]);
  await addRoles(em, tenant, organization, mergedRoles(roles));
  await sql`delete from thread_person where thread_id = any(${ids}::bigint[]) and roles = 0`.execute(
    tablesOf(em),
  );
  await refuseManyInvolved(em, [...reassigned]);
}

const assigneeOf = ({ body }: ThreadState): string | undefined => body.assignedTo?.userId;

/** The roles to add. Users that the call does not name have their roles already. */
function rolesOf({ before, after, written, content }: ChangedThread, users: LockedUsers): ThreadRole[] {
  const thread = before.id;
  const inBody = new Map(content?.roles);
  const assignee = assigneeOf(after);
  const { userId: _creator, ...ofCreator } = after.body.from ?? { userId: '' };
  for (const userId of [...written.named, ...namedUsers(ofCreator)])
    addRole(inBody, userId, threadRoles.named);
  if (assignee !== undefined) addRole(inBody, assignee, threadRoles.assignee);
  const named = [...inBody].flatMap(([userId, role]) => {
    const user = users.get(userId);
    return user === undefined ? [] : [{ thread, user, role }];
  });
  return [
    ...named,
    ...(after.resolver === null ? [] : [{ thread, user: after.resolver, role: threadRoles.resolver }]),
    ...(after.statusUpdater === null
      ? []
      : [{ thread, user: after.statusUpdater, role: threadRoles.statusUpdater }]),
  ];
}

async function replaceAudience(
  em: EntityManager,
  tenant: Tenant,
  users: LockedUsers,
  threads: readonly ChangedThread[],
): Promise<void> {
  const changed = threads.filter(
    ({ replaced, after }) => !sameJson(visibilityOf(replaced.body), visibilityOf(after.body)),
  );
  if (changed.length === 0) return;
  const ids = changed.map(({ before }) => before.id);
  await sql`delete from thread_audience where thread_id = any(${ids}::bigint[])`.execute(tablesOf(em));
  await writeAudience(
    em,
    tenant,
    users,
    changed.map(({ before: { id }, after }) => ({ thread: id, visibility: after.body.visibilityConfig })),
  );
}
