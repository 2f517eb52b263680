import type { Metadata } from '../metadata.ts';
import { withinBytes, type BoundedRows, type Sizing } from '../../platform/database/within-bytes.ts';

/** A member of a level, or of some document, as it is read. */
export interface UserRow {
  readonly ext_id: string;
  readonly name: string;
  readonly email: string;
  readonly metadata: Metadata;
  /** Of the membership; null where it has none, undefined where no single membership was asked for. */
  readonly member_role?: number | null;
}

/** What a list of users is narrowed by. */
export interface UserFilter {
  readonly userIds?: readonly string[] | undefined;
  /** Surrogate keys; a user of any of them passes. Without one, nobody does. */
  readonly groups?: readonly string[] | undefined;
  /** Part of a name, e-mail or id; case is ignored. */
  readonly searchKey?: string | undefined;
}

/** Most rows that one page looks at: such a page may be short, or empty, with more behind it. */
export const mostExamined = 20_000;

/** SQL: `withinBytes` of rows that have the columns of a user. */
export const boundedUsers = (
  sizing: Sizing,
  page: Omit<BoundedRows, 'content' | 'type' | 'beside'>,
  beside = '0',
): string =>
  withinBytes(sizing, {
    ...page,
    content: 'metadata',
    type: 'jsonb',
    beside: `2 * octet_length(ext_id) + coalesce(octet_length(name), 0) + coalesce(octet_length(email), 0) + ${beside}`,
  });

/** SQL: a condition on `app_user u` that holds when it has the text of `parameter` in a name, e-mail or id. */
export const searched = (parameter: string): string => {
  // By Unicode, whatever the locale of the database is.
  const lower = (text: string): string => `lower(${text} collate "pg_c_utf8")`;
  const needle = lower(`${parameter}::text`);
  return `(${['name', 'email', 'ext_id'].map((column) => `strpos(${lower(`u.${column}`)}, ${needle}) > 0`).join(' or ')})`;
};
