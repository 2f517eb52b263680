import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowOf } from '../../platform/database/statements.ts';
import { openRemovals } from '../jobs/open-removals.ts';

/** An overwrite of a locked notification. Surrogate keys, and the new location. */
export interface Overwrite {
  readonly id: string;
  readonly organization: string;
  readonly document: string;
  readonly location: string | null;
}

const LeftRow = z.strictObject({ deleted: z.boolean().nullable() });

/**
 * Whether a job is still to remove a notification: `deleted`, or `reached` when the job would only take it from one
 * recipient, or would find it only at its new place. Undefined when no job would.
 */
export async function leftToJob(
  em: EntityManager,
  { id, organization, document, location }: Overwrite,
): Promise<'deleted' | 'reached' | undefined> {
  const found = await rowOf(
    em,
    LeftRow,
    sql`select bool_or(r.rest ->> 'user' is null and (m.document_id is null or m.document_id = n.document_id)
          and (m.location_id is null or m.location_id = n.location_id)) as deleted
      from (${openRemovals('notifications', sql`${[organization]}::bigint[]`)}) o
        cross join lateral (select o.selection -> 'rest' as rest) r
        cross join lateral (select (r.rest ->> 'document')::bigint as document_id, r.rest ->> 'location' as location_id) m
        cross join lateral (select * from notification n where n.id = ${id} limit 1) n
      where (r.rest ->> 'upTo')::bigint >= n.id and (m.document_id is null or m.document_id in (n.document_id, ${document}))
        and (m.location_id is null or m.location_id in (n.location_id, ${location}))`,
  );
  if (found === undefined || found.deleted === null) return undefined;
  return found.deleted ? 'deleted' : 'reached';
}
