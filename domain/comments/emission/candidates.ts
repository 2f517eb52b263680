import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { anyOfIds, rowsOf } from '../../../platform/database/statements.ts';
import { lockUnfenced, type Member } from '../../notifications/document-members.ts';
import { tablesOf } from '../../tables.ts';
import { resourceKindNumbers } from '../../tenancy/resource-kinds.ts';
import { audienceKinds } from '../thread-audience.entity.ts';
import { involvedRoles } from '../thread-person.entity.ts';
import { visibilityNumbers } from '../thread.entity.ts';

const InvolvedRow = z.strictObject({ thread_id: z.string(), user_id: z.string(), user_ext: z.string() });
type InvolvedRow = z.infer<typeof InvolvedRow>;

/** Users that threads involve. */
export interface Involved {
  readonly rows: readonly InvolvedRow[];
  /** Whether there are more than the caller's `max`. */
  readonly more: boolean;
}

/** Reads up to `max` pairs of a thread and a user that it involves, by surrogate keys. */
export async function readInvolved(
  em: EntityManager,
  threads: readonly string[],
  max: number,
): Promise<Involved> {
  const found = await rowsOf(
    em,
    InvolvedRow,
    sql`select p.thread_id, p.user_id, u.ext_id as user_ext
      from unnest(${threads}::bigint[]) as t (id)
      cross join lateral (
        select thread_id, user_id from thread_person where thread_id = t.id and roles & ${sql.lit(involvedRoles)} <> 0
        limit ${max + 1}) p
      cross join lateral (select ext_id from app_user where id = p.user_id and ext_id is not null offset 0) u
      limit ${max + 1}`,
  );
  return { rows: found.slice(0, max), more: found.length > max };
}

const UserRow = z.strictObject({ user_id: z.string(), user_ext: z.string() });

/** Locks users, by surrogate keys or customer's ids. Returns those that no deletion fences. */
export async function lockCandidates(
  em: EntityManager,
  tenantId: string,
  organization: string,
  users: { readonly keys?: readonly string[]; readonly userIds?: readonly string[] },
): Promise<Member[]> {
  const { keys = [], userIds = [] } = users;
  if (keys.length + userIds.length === 0) return [];
  const found = await rowsOf(
    em,
    UserRow,
    sql`select id as user_id, ext_id as user_ext from app_user
        where id = any(${keys}::bigint[]) and api_key_id = ${tenantId} and ext_id is not null
      union select id, ext_id from app_user where api_key_id = ${tenantId} and ext_id = any(${userIds}::text[])`,
  );
  return lockUnfenced(em, tenantId, organization, found);
}

/** A thread, its visibility and its creator, by surrogate keys. */
interface JudgedThread {
  readonly id: string;
  readonly visibility: number;
  readonly creator: string | null;
}

/** Whether a user may see a thread; surrogate keys. */
export type MaySee = (thread: string, user: string) => boolean;

const AudienceRow = z.strictObject({ thread_id: z.string(), kind: z.number(), ref_id: z.string() });
type AudienceRow = z.infer<typeof AudienceRow>;
const MembershipRow = z.strictObject({ user_id: z.string(), organization: z.string() });
type MembershipRow = z.infer<typeof MembershipRow>;

/**
 * Reads which of the users may see each of the threads by its visibility. No user may see another thread: it was deleted
 * before the threads were read. Sends no statement for public threads.
 */
export async function decideMaySee(
  em: EntityManager,
  threads: readonly JudgedThread[],
  users: readonly string[],
): Promise<MaySee> {
  const found = new Map(threads.map((thread) => [thread.id, thread]));
  const isPublic = ({ visibility }: JudgedThread) => visibility === visibilityNumbers.public;
  const hidden = threads.filter((thread) => !isPublic(thread)).map(({ id }) => id);
  if (hidden.length === 0) return (thread) => found.has(thread);
  const audience = await rowsOf(
    em,
    AudienceRow,
    sql`select a.thread_id, a.kind, a.ref_id from unnest(${hidden}::bigint[]) as t (id)
      cross join lateral (
        select thread_id, kind, ref_id from thread_audience
        where thread_id = t.id and (kind = ${sql.lit(audienceKinds.organization)} or ref_id = any(${users}::bigint[])) offset 0) a`,
  );
  const ofOrganizations = audience.filter(({ kind }) => kind === audienceKinds.organization);
  const organizations = [...new Set(ofOrganizations.map(({ ref_id }) => ref_id))];
  const memberships = await rowsOf(
    em,
    MembershipRow,
    sql`select x.user_id, x.resource_id as organization from access x
      where x.user_id = any(${users}::bigint[]) and x.kind = ${sql.lit(resourceKindNumbers.organization)}
        and x.resource_id = any(${organizations}::bigint[]) and x.is_member`,
  );
  const isInAudience = inAudience(audience, memberships);
  return (thread, user) => {
    const judged = found.get(thread);
    if (judged === undefined) return false;
    return isPublic(judged) || judged.creator === user || isInAudience(thread, user);
  };
}

/** Whether the audience of a thread has a user. Keeps rows, not pairs: 1,000 threads and members make a million. */
export function inAudience(audience: readonly AudienceRow[], memberships: readonly MembershipRow[]): MaySee {
  const [users, organizations] = [new Map<string, Set<string>>(), new Map<string, Set<string>>()];
  for (const { thread_id, kind, ref_id } of audience)
    addTo(kind === audienceKinds.user ? users : organizations, thread_id, ref_id);
  const members = new Map<string, Set<string>>();
  for (const { organization, user_id } of memberships) addTo(members, organization, user_id);
  return (thread, user) => {
    if (users.get(thread)?.has(user) === true) return true;
    for (const organization of organizations.get(thread) ?? [])
      if (members.get(organization)?.has(user) === true) return true;
    return false;
  };
}

function addTo(sets: Map<string, Set<string>>, key: string, id: string): void {
  const known = sets.get(key);
  if (known === undefined) sets.set(key, new Set([id]));
  else known.add(id);
}

/** Reads the visibility and the creator of threads, by surrogate key. */
export async function readVisibility(
  em: EntityManager,
  threads: readonly string[],
): Promise<readonly JudgedThread[]> {
  const found = await tablesOf(em)
    .selectFrom('thread')
    .select(['id', 'visibility', 'creator_id as creator'])
    .where('id', '=', anyOfIds(threads))
    .execute();
  return found;
}
