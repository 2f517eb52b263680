import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { openRemovals } from '../jobs/open-removals.ts';

const LeftRow = z.strictObject({ id: z.string() });

/** Which of these recordings of one organization jobs are still to remove. Surrogate keys. */
export async function leftToJobs(
  em: EntityManager,
  organization: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  // A job may name 1,000 ids, so those are joined by hash. Where no removal is open, no recording is read.
  const found = await rowsOf(
    em,
    LeftRow,
    sql`with removal as materialized (
        select (o.selection ->> 'document')::bigint as document_id, i.ext_id, max((o.selection ->> 'upTo')::bigint) as up_to
        from (${openRemovals('recordings', sql`${[organization]}::bigint[]`)}) o
          left join lateral json_array_elements_text(
            case when json_typeof(o.selection -> 'recordingIds') = 'array' then o.selection -> 'recordingIds' end) as i (ext_id) on true
        group by 1, 2),
      written as materialized (
        select r.id, r.document_id, r.ext_id from unnest(${ids}::bigint[]) as w (id)
          cross join lateral (select * from recording r where r.id = w.id offset 0) r
        where exists (select from removal))
      select w.id from written w join removal m on m.ext_id = w.ext_id
        and (m.document_id is null or m.document_id = w.document_id) and m.up_to >= w.id
      union
      select w.id from written w join removal m on m.ext_id is null and m.document_id = w.document_id and m.up_to >= w.id`,
  );
  return new Set(found.map(({ id }) => id));
}
