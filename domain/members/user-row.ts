import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { withinBytes, type BoundedRows, type Sizing } from '../../platform/database/within-bytes.ts';
import type { Metadata } from '../metadata.ts';

/** A user row of a list of members. */
export const UserRow = z.strictObject({
  ext_id: z.string(),
  name: z.string(),
  email: z.string(),
  metadata: z.custom<Metadata>(),
  /** Role number of the membership; null without a role, undefined if the list is not of one level. */
  member_role: z.number().nullable().optional(),
});
export type UserRow = z.infer<typeof UserRow>;

/** Filters of a list of users. */
export interface UserFilter {
  readonly userIds?: readonly string[] | undefined;
  /** Surrogate keys of groups; matches users of any of them. An empty list matches no user. */
  readonly groups?: readonly string[] | undefined;
  /** Substring of a name, e-mail or id, case-insensitive. */
  readonly searchKey?: string | undefined;
}

/** SQL: `withinBytes` over rows with the columns of a user. */
export const boundedUsers = (
  sizing: Sizing,
  page: Omit<BoundedRows, 'content' | 'type' | 'beside'>,
  beside = sql`0`,
) =>
  withinBytes(sizing, {
    ...page,
    content: 'metadata',
    type: 'jsonb',
    beside: sql`2 * octet_length(ext_id) + coalesce(octet_length(name), 0) + coalesce(octet_length(email), 0) + ${beside}`,
  });

/** SQL: whether name, e-mail or id of `app_user u` contains the text. */
export const searched = (text: string): RawBuilder<unknown> => {
  // The columns' collations have no case rules, so this uses the database's locale, as `prefix-search.ts` does.
  const lower = (value: RawBuilder<unknown>) => sql`lower(${value} collate "default")`;
  const found = ['name', 'email', 'ext_id'].map(
    (column) => sql`strpos(${lower(sql.ref(`u.${column}`))}, ${lower(sql`${text}::text`)}) > 0`,
  );
  return sql`(${sql.join(found, sql` or `)})`;
};

/** SQL: whether the user of an examined row `e` is in one of the groups. */
export const inGroups = (groups: readonly string[]): RawBuilder<unknown> =>
  sql`exists (select from user_group_member m where m.group_id = any(${groups}::bigint[]) and m.user_ext = e.user_ext)`;

/** SQL: `and` with the condition if the filter is given, else empty. */
export const where = <Given>(
  given: Given | undefined,
  condition: (given: Given) => RawBuilder<unknown>,
): RawBuilder<unknown> => (given === undefined ? sql`` : sql`and ${condition(given)}`);
