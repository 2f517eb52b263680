import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import type { CommentBody, NamedUser } from './comment.entity.ts';
import type { ReactionBody } from './reaction.entity.ts';
import { involvedRoles, threadRoles } from './thread-person.entity.ts';

const CommentRow = z.strictObject({
  id: z.string(),
  thread_id: z.string(),
  ext_id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  body: z.custom<CommentBody>(),
});
export type CommentRow = z.infer<typeof CommentRow>;

const ReactionRow = z.strictObject({
  comment_id: z.string(),
  icon: z.string(),
  at: z.string(),
  body: z.custom<ReactionBody>(),
});
export type ReactionRow = z.infer<typeof ReactionRow>;

/** Users in the roles of a thread, by the customer's ids in byte order. */
export interface ThreadPeople {
  readonly involved: readonly string[];
  readonly mentioned: readonly string[];
  readonly resolver: NamedUser | null;
  readonly statusUpdater: string | null;
}

/** Comments and people by the surrogate keys of threads, and reactions by those of comments. */
export interface ThreadContents {
  readonly comments: ReadonlyMap<string, readonly CommentRow[]>;
  readonly reactions: ReadonlyMap<string, readonly ReactionRow[]>;
  readonly people: ReadonlyMap<string, ThreadPeople>;
}

const Profile = z.strictObject({ userId: z.string(), name: z.string(), email: z.string() });

const PeopleRow = z.strictObject({
  thread_id: z.string(),
  involved: z.array(z.string()).readonly().nullable(),
  mentioned: z.array(z.string()).readonly().nullable(),
  resolver: Profile.nullable(),
  status_updater: z.string().nullable(),
});

/**
 * Reads comments by createdAt, then order of writing, reactions by time, and involved users. One statement for each
 * kind.
 */
export async function readContents(em: EntityManager, threads: readonly string[]): Promise<ThreadContents> {
  if (threads.length === 0) return { comments: new Map(), reactions: new Map(), people: new Map() };
  const comments = await readComments(em, threads);
  const reactions = await readReactions(
    em,
    comments.map(({ id }) => id),
  );
  return {
    comments: Map.groupBy(comments, ({ thread_id }) => thread_id),
    reactions: Map.groupBy(reactions, ({ comment_id }) => comment_id),
    people: await readPeople(em, threads),
  };
}

async function readComments(em: EntityManager, threads: readonly string[]): Promise<CommentRow[]> {
  const found = await rowsOf(
    em,
    CommentRow,
    sql`select c.id, c.thread_id, c.ext_id, c.created_at, c.updated_at, c.body
      from unnest(${threads}::bigint[]) as t (id) cross join lateral (select * from comment where thread_id = t.id offset 0) c`,
  );
  return found.sort(
    (one, other) =>
      Number(one.created_at) - Number(other.created_at) || Number(BigInt(one.id) - BigInt(other.id)),
  );
}

/** Reads reactions to comments by time, then icon. */
export async function readReactions(em: EntityManager, comments: readonly string[]): Promise<ReactionRow[]> {
  return rowsOf(
    em,
    ReactionRow,
    sql`select r.comment_id, r.icon, r.at, r.body
      from unnest(${comments}::bigint[]) as c (id)
      cross join lateral (select * from reaction where comment_id = c.id offset 0) r
      order by r.at, r.icon, r.user_id`,
  );
}

/** The roles of users that responses and events show. */
export const shownRoles = involvedRoles | threadRoles.resolver | threadRoles.statusUpdater;

/**
 * Reads the users of each thread, by its surrogate key, in one row for each thread: 1,000 threads may involve a million
 * users together.
 */
export async function readPeople(
  em: EntityManager,
  threads: readonly string[],
): Promise<ReadonlyMap<string, ThreadPeople>> {
  const inRole = (roles: number) => sql`filter (where p.roles & ${sql.lit(roles)} <> 0)`;
  const found = await rowsOf(
    em,
    PeopleRow,
    sql`select p.thread_id,
        json_agg(u.ext_id order by u.ext_id) ${inRole(involvedRoles)} as involved,
        json_agg(u.ext_id order by u.ext_id) ${inRole(threadRoles.tagged)} as mentioned,
        json_agg(json_build_object('userId', u.ext_id, 'name', u.name, 'email', u.email) order by u.ext_id)
          ${inRole(threadRoles.resolver)} -> 0 as resolver,
        min(u.ext_id) ${inRole(threadRoles.statusUpdater)} as status_updater
      from unnest(${threads}::bigint[]) as t (id)
      cross join lateral (
        select * from thread_person where thread_id = t.id and roles & ${sql.lit(shownRoles)} <> 0 offset 0) p
      cross join lateral (select * from app_user where id = p.user_id and ext_id is not null offset 0) u
      group by p.thread_id`,
  );
  return new Map(
    found.map(({ thread_id, involved, mentioned, resolver, status_updater }) => [
      thread_id,
      {
        involved: involved ?? [],
        mentioned: mentioned ?? [],
        resolver: resolver === null ? null : profileOf(resolver),
        statusUpdater: status_updater,
      },
    ]),
  );
}

const profileOf = ({ userId, name, email }: z.infer<typeof Profile>): NamedUser => ({
  userId,
  ...(name !== '' && { name }),
  ...(email !== '' && { email }),
});
