import { sql } from 'kysely';
import { openRemovals } from '../jobs/open-removals.ts';

/**
 * SQL: whether a job is still to remove a record `crdt c`. The deletion has returned, so writes treat the record as
 * missing.
 */
export const isCrdtLeftToJob = sql<boolean>`exists (
  select from (${openRemovals('crdt', sql`array[c.org_id]`)}) o
  where (o.selection ->> 'document')::bigint = c.document_id and (o.selection ->> 'upTo')::bigint >= c.id offset 0)`;
