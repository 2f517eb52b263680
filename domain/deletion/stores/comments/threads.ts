import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { rowsOf } from '../../../../platform/database/statements.ts';
import type { CommentBody } from '../../../comments/comment.entity.ts';
import type { ThreadBody } from '../../../comments/thread.entity.ts';
import { threadRoles } from '../../../comments/thread-person.entity.ts';
import { batchBySize } from '../batch-by-size.ts';
import { containsPeople } from '../contains-people.ts';
import type { JsonRecords } from '../batch-by-name.ts';
import {
  anyOfPeople,
  BatchRow,
  hasRows,
  runBatch,
  stepOf,
  unindexedTenant,
  type PersonIndex,
} from '../person-index.ts';
import type { PersonalDataStore, PersonScope } from '../personal-data-store.ts';
import { removeThreadsLeftToJobs } from './remove-threads-left-to-jobs.ts';
import { commentNames, threadNames } from './scrubbed-bodies.ts';
import { scrubThreads } from './scrub-threads.ts';
import { lockThreadsByKey } from './thread-counters.ts';
import { threadPeople } from './thread-people.ts';

/** Rows per counted batch. */
const countedRows = 20_000;

const creators: PersonIndex = {
  table: 'thread',
  columns: ['creator_id', 'org_id', 'updated_at', 'id'],
  organization: { column: 'org_id' },
};

/** SQL: the bytes of a thread `t` with its comments and reactions. */
const bytes = sql`t.content_bytes + coalesce(octet_length(t.body::text), 0)`;

/**
 * Threads that a person created and others commented on, by thread_creator. They are kept without `from`, except those
 * that jobs are still to delete.
 */
export const createdThreads: PersonalDataStore = {
  name: 'commentAnnotations',
  kinds: ['commentAnnotations'],
  async remove(em, scope) {
    const { rows, last } = await batchBySize(
      em,
      creators,
      scope,
      null,
      sql`select ${bytes} from thread t where t.id = n.id`,
    );
    const threads = rows.map(([, , , id = '']) => id);
    const removed = await removeThreadsLeftToJobs(em, scope, await lockThreadsByKey(em, scope, threads));
    if (!removed) return { counts: {}, last: [] };
    await scrubThreads(em, scope, scope.identifiers, threads, 'of named');
    // Scrubbed threads have no creator, and are not found again.
    return { counts: { commentAnnotations: threads.length }, last: last === null ? null : [] };
  },
  async count(em, scope, after) {
    const batch = await runBatch(em, creators, scope, after, { limit: countedRows, row: BatchRow });
    return stepOf(batch, countedRows, { commentAnnotations: batch.found });
  },
  remains: async (em, scope) => hasRows(em, creators, scope),
};

const author = sql.lit(threadRoles.author);

/** SQL: whether a thread, by surrogate key, is deleted because only the people wrote in it. */
const losesComments = ({ users }: PersonScope, thread: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`not exists (select from thread_person o where o.thread_id = ${thread}
    and o.user_id <> all(${users.map(({ id }) => id)}::bigint[]) and o.roles & ${author} <> 0 offset 0)`;

/** SQL: whether a thread, by surrogate key, names the people other than as authors. */
const namesElsewhere = ({ users }: PersonScope, thread: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`exists (select from thread_person p where p.thread_id = ${thread}
    and p.user_id = ${anyOfPeople(users)} and p.roles & ~${author} <> 0 offset 0)`;

/**
 * The threads that name the people, by thread_person_user; bare users of their addresses, only as more than authors: their
 * comments stay.
 */
const naming = ({ users }: PersonScope): PersonIndex => ({
  ...threadPeople,
  ofTenant: (named) =>
    sql`${unindexedTenant(named)} and (t.user_id = ${anyOfPeople(users)} or t.roles & ~${author} <> 0)`,
});

/** Mentions of a person in threads of others, by thread_person_user. Must follow the stores of comments. */
export const threadMentions: PersonalDataStore = {
  name: 'threadMentions',
  kinds: ['mentions'],
  async remove(em, scope) {
    const { named, identifiers } = scope;
    const { rows, last } = await batchBySize(
      em,
      naming(scope),
      named,
      null,
      sql`select ${bytes} from thread t where t.id = n.thread_id`,
    );
    const threads = [...new Set(rows.map(([, , thread = '']) => thread))];
    const mentions = await scrubThreads(em, named, identifiers, threads, 'all');
    return { counts: { mentions }, last: last === null ? null : [] };
  },
  async count(em, scope, after) {
    const batch = await runBatch(em, naming(scope), scope.named, after, {
      limit: countedRows,
      row: BatchRow.extend({ mentions: z.number() }),
      also: sql`t.roles`,
      select: sql`(select count(*)::integer from next n where n.roles & ~${author} <> 0
        and not ${losesComments(scope, sql`n.thread_id`)}
        and not (n.user_id = ${anyOfPeople(scope.users)} and exists (
          select from thread t where t.id = n.thread_id and t.creator_id = ${anyOfPeople(scope.users)} offset 0))) as mentions`,
    });
    return stepOf(batch, countedRows, { mentions: batch.mentions });
  },
  remains: async (em, scope) => hasRows(em, naming(scope), scope.named),
};

const IdRow = z.strictObject({ thread_id: z.string() });

/** A comment, and those of the users who reacted to it that have free members. */
type CommentWithReactions = readonly [body: CommentBody, users: readonly object[] | null];

/** SQL: `CommentWithReactions` of the comment `t`, whose names are indexed together. */
const withReactions = sql`json_build_array(t.body, (
  select json_agg(r.body -> 'from') from reaction r where r.comment_id = t.id and exists (
    select from json_object_keys(r.body -> 'from') as k (key) where k.key not in ('userId', 'name', 'email'))))`;

/** Free JSON of threads and comments, by json_name: keys that are ids or addresses of people. */
export const threadJson: readonly JsonRecords[] = [
  {
    kind: 'thread',
    table: 'thread',
    column: 'body',
    organization: 'org_id',
    // Comments and reactions are scrubbed and counted with their thread.
    bytes: sql`octet_length(t.body::text) + t.content_bytes`,
    countedElsewhere: (scope) => sql`(coalesce(t.creator_id = ${anyOfPeople(scope.users)}, false)
      or ${namesElsewhere(scope, sql`t.id`)} or ${losesComments(scope, sql`t.id`)})`,
    names: (body, identifiers) => threadNames(body as ThreadBody, identifiers),
    async scrub(em, scope, identifiers, ids) {
      await scrubThreads(em, scope, identifiers, ids, 'all');
      return ids.length;
    },
  },
  {
    kind: 'comment',
    table: 'comment',
    column: 'body',
    organization: 'org_id',
    bytes: sql`(select h.content_bytes from thread h where h.id = t.thread_id)`,
    countedElsewhere: (scope) =>
      sql`(t.author_id = ${anyOfPeople(scope.users)} or ${namesElsewhere(scope, sql`t.thread_id`)})`,
    judged: withReactions,
    names(judged, identifiers) {
      const [body, users] = judged as CommentWithReactions;
      return (
        commentNames(body, identifiers) ||
        (users ?? []).some((from) => containsPeople(from, identifiers, 'free'))
      );
    },
    async scrub(em, scope, identifiers, ids) {
      const threads = await rowsOf(
        em,
        IdRow,
        sql`select distinct thread_id from comment where id = any(${ids}::bigint[])`,
      );
      await scrubThreads(
        em,
        scope,
        identifiers,
        threads.map(({ thread_id }) => thread_id),
        'all',
      );
      return ids.length;
    },
  },
];
