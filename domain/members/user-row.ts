import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { Metadata } from '../metadata.ts';
import { withinBytes, type BoundedRows, type Sizing } from '../../platform/database/within-bytes.ts';

/** A member of a level, or of some document, as it is read. */
export const UserRow = z.strictObject({
  ext_id: z.string(),
  name: z.string(),
  email: z.string(),
  metadata: z.custom<Metadata>(),
  /** Of the membership; null where it has none, undefined where no single membership was asked for. */
  member_role: z.number().nullable().optional(),
});
export type UserRow = z.infer<typeof UserRow>;

/** What a list of users is narrowed by. */
export interface UserFilter {
  readonly userIds?: readonly string[] | undefined;
  /** Surrogate keys; a user of any of them passes. Without one, nobody does. */
  readonly groups?: readonly string[] | undefined;
  /** Part of a name, e-mail or id; case is ignored. */
  readonly searchKey?: string | undefined;
}

/** Most rows that one page looks at: such a page may be short, or empty, with more behind it. */
export const maxExamined = 20_000;

/** `withinBytes` of rows that have the columns of a user. */
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

/** A condition on `app_user u` that holds when it has the text in a name, e-mail or id. */
export const searched = (text: string): RawBuilder<unknown> => {
  // By Unicode, whatever the locale of the database is.
  const lower = (value: RawBuilder<unknown>) => sql`lower(${value} collate "pg_c_utf8")`;
  const found = ['name', 'email', 'ext_id'].map(
    (column) => sql`strpos(${lower(sql.ref(`u.${column}`))}, ${lower(sql`${text}::text`)}) > 0`,
  );
  return sql`(${sql.join(found, sql` or `)})`;
};

/** A condition on an examined row `e` that holds for a user of one of the groups. */
export const inGroups = (groups: readonly string[]): RawBuilder<unknown> =>
  sql`exists (select from user_group_member m where m.group_id = any(${groups}::bigint[]) and m.user_ext = e.user_ext)`;

/** The condition where the list is narrowed by it; nothing where it is not. */
export const where = <Given>(
  given: Given | undefined,
  condition: (given: Given) => RawBuilder<unknown>,
): RawBuilder<unknown> => (given === undefined ? sql`` : sql`and ${condition(given)}`);
