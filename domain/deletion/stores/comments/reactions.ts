import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../../platform/database/orm.ts';
import { onlyRowOf, rowsOf } from '../../../../platform/database/statements.ts';
import { anyOfPeople, hasRows, rowsOfPeople, unindexedTenant, type PersonIndex } from '../person-index.ts';
import type { PersonalDataStore, PersonScope, StoreCursor } from '../personal-data-store.ts';
import { lockThreadsByKey, subtractingReactions } from './thread-counters.ts';

/** Comments per counted batch, and reactions per removed batch. */
const chunk = { count: 100_000, remove: 1_000 } as const;

/** A user may have several reactions to a comment, so a cursor is a comment. */
const index: PersonIndex = {
  table: 'reaction',
  columns: ['user_id', 'org_id', 'comment_id'],
  organization: { column: 'org_id' },
};

const NextRow = z.strictObject({ comment_id: z.string(), thread_id: z.string().nullable() });
const RemovedRow = z.strictObject({ reactions: z.number() });
const CountRow = z.strictObject({ found: z.number(), cursor: z.array(z.string()).nullable() });

/** Reactions of a person, by reaction_user; their threads are locked. */
export const reactions: PersonalDataStore = {
  name: 'reactions',
  kinds: ['reactions'],
  async remove(em, scope) {
    const next = await rowsOf(em, NextRow, nextOf(scope, chunk.remove));
    const threads = next.flatMap(({ thread_id }) => thread_id ?? []);
    await lockThreadsByKey(em, scope, threads);
    const comments = [...new Set(next.map(({ comment_id }) => comment_id))];
    const removed = await onlyRowOf(
      em,
      RemovedRow,
      sql`with gone as (
          delete from reaction r where r.user_id = ${anyOfPeople(scope.users)} and ${unindexedReaction(scope)}
            and r.comment_id = any(${comments}::bigint[])
          returning r.comment_id, octet_length(r.body::text) as bytes),
        ${subtractingReactions(scope)}
        select count(*)::int as reactions from gone`,
    );
    // Removed rows are not found again: each batch starts at the first row.
    return { counts: removed, last: next.length < chunk.remove ? null : [] };
  },
  count: async (em, scope, after) => countFrom(em, scope, after),
  remains: async (em, scope) => hasRows(em, index, scope),
};

const unindexedReaction = ({ tenantId, organizations }: PersonScope): RawBuilder<unknown> =>
  organizations === null
    ? sql`r.api_key_id + 0 = ${tenantId}`
    : sql`r.api_key_id + 0 = ${tenantId} and r.org_id = any(${organizations}::bigint[])`;

const nextOf = (scope: PersonScope, limit: number) => sql`
  with next as materialized (
    select t.comment_id from ${rowsOfPeople(index, scope, scope.users, { columns: sql`t.comment_id`, limit })}
    limit ${sql.lit(limit)})
  select n.comment_id, c.thread_id from next n
    left join lateral (select thread_id from comment where id = n.comment_id offset 0) c on true`;

/** Counts the reactions to the next comments; all of one comment belong to one batch. */
async function countFrom(em: EntityManager, scope: PersonScope, after: StoreCursor | null) {
  const [user = '0', organization = '0', comment = '0'] = after ?? [];
  const organizations =
    scope.organizations === null ? sql`` : sql`and t.org_id = any(${scope.organizations}::bigint[])`;
  const { found, cursor } = await onlyRowOf(
    em,
    CountRow,
    sql`with next as materialized (
        select t.user_id, t.org_id, t.comment_id from reaction t
        where t.user_id = ${anyOfPeople(scope.users)} ${organizations} and ${unindexedTenant(scope)}
          and (t.user_id, t.org_id, t.comment_id) > (${user}::bigint, ${organization}::bigint, ${comment}::bigint)
        order by t.user_id, t.org_id, t.comment_id fetch first ${sql.lit(chunk.count)} rows with ties)
      select count(*)::integer as found, (select array[n.user_id::text, n.org_id::text, n.comment_id::text] from next n
        order by n.user_id desc, n.org_id desc, n.comment_id desc limit 1) as cursor from next`,
  );
  return { counts: { reactions: found }, last: found < chunk.count ? null : cursor };
}
