import { sql, type RawBuilder } from 'kysely';
import { failed, type Outcome } from './batch.ts';
import { messages } from './messages.ts';

/** Free metadata members of a record, as sent. */
export type Metadata = Readonly<Record<string, unknown>>;

/** Arguments of a statement that merges metadata: JSON to set, and members to remove. */
export interface MetadataPatch {
  readonly set: string;
  readonly remove: readonly string[];
}

/** Shallow merge: `null` removes a member, any other value replaces it. */
export function metadataPatch(metadata: Metadata): MetadataPatch {
  const entries = Object.entries(metadata);
  if (entries.length === 0) return unchanged;
  return {
    set: JSON.stringify(Object.fromEntries(entries.filter(([, value]) => value !== null))),
    remove: entries.filter(([, value]) => value === null).map(([name]) => name),
  };
}

const unchanged: MetadataPatch = { set: '{}', remove: [] };

/** Max bytes of the stored metadata of a record, as text. That of one request is smaller, so only an update can exceed it. */
const maxStoredBytes = 65_536;

/** SQL: stored metadata with a patch: `set`, and `remove` as a JSON list. */
export const mergedMetadata = (
  stored: RawBuilder<unknown>,
  set: RawBuilder<unknown>,
  remove: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`(${stored} || ${set}) - array(select jsonb_array_elements_text(${remove}))`;

/**
 * SQL: the rows of `changes` with their new `metadata`, and whether it `fits`: it has at most 64 KiB, or no more than
 * before. `changes` has the columns `stored`, `set` and `removed`. It must have locked the rows that it changes, so that
 * the decision holds until the update. `replaces`: `set` replaces the stored metadata.
 */
export const judgedMetadata = (
  changes: RawBuilder<unknown>,
  { replaces }: { readonly replaces: boolean } = { replaces: false },
): RawBuilder<unknown> => sql`(
  select c.*, m.metadata, octet_length(m.metadata::text) <= ${sql.lit(maxStoredBytes)}
    or octet_length(m.metadata::text) <= octet_length(c.stored::text) as fits
  from ${changes} c cross join lateral (
    select case when ${replaces} then c.set else ${mergedMetadata(sql`c.stored`, sql`c.set`, sql`c.removed`)} end as metadata
    offset 0) m)`;

/** The outcome of an update whose metadata does not fit. */
export const metadataTooLarge = (): Outcome => failed('invalid-argument', messages.metadataTooLarge);
