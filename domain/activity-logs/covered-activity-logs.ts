import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { openRemovals } from '../jobs/open-removals.ts';

/** An overwrite of a locked record. Surrogate keys, and the new target. */
export interface ActivityLogOverwrite {
  readonly id: string;
  readonly organization: string;
  readonly document: string;
  readonly targetEntityId: string | undefined;
}

const CoveredRow = z.strictObject({ id: z.string(), deleted: z.boolean() });

/**
 * The records that an open removal would delete after the overwrite, by surrogate key. True for a record that is deleted
 * already, false for one that only the overwrite moves to a deleted document or target.
 */
export async function coveredActivityLogs(
  em: EntityManager,
  overwrites: readonly ActivityLogOverwrite[],
): Promise<ReadonlyMap<string, boolean>> {
  if (overwrites.length === 0) return new Map();
  const organizations = [...new Set(overwrites.map(({ organization }) => organization))];
  // Where no removal is open, the condition on `removal` alone keeps the plan from reading the records.
  const found = await rowsOf(
    em,
    CoveredRow,
    sql`with removal as materialized (
        select (o.selection ->> 'organization')::bigint as org_id, (o.selection ->> 'document')::bigint as document_id,
          o.selection ->> 'targetEntityId' as target, max((o.selection ->> 'upTo')::bigint) as up_to
        from (${openRemovals('activities', sql`${organizations}::bigint[]`)}) o group by 1, 2, 3)
      select a.id, bool_or((m.document_id is null or m.document_id = a.document_id)
        and (m.target is null or m.target = a.target_entity_id)) is true as deleted
      from unnest(${overwrites.map(({ id }) => id)}::bigint[], ${overwrites.map(({ document }) => document)}::bigint[],
          ${overwrites.map(({ targetEntityId }) => targetEntityId ?? null)}::text[]) as w (id, document_id, target)
        cross join lateral (
          select r.id, r.org_id, r.document_id, r.target_entity_id from activity r where r.id = w.id offset 0) a
        join removal m on m.org_id = a.org_id and m.up_to >= a.id
          and (m.document_id is null or m.document_id in (a.document_id, w.document_id))
          and (m.target is null or m.target in (a.target_entity_id, w.target))
      where exists (select from removal)
      group by a.id`,
  );
  return new Map(found.map(({ id, deleted }) => [id, deleted]));
}
