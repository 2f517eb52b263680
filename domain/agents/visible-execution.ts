import { sql } from 'kysely';
import { isVisible } from '../documents/resolve-document.ts';

/**
 * SQL: an execution `e` with its place, `o` and `d`. Each is looked up for each execution: a plan that a connection keeps
 * might else read all documents there are.
 */
export const executionLocation = sql`
  left join lateral (select p.ext_id, p.deleted_at from organization p where p.id = e.org_id limit 1) o on true
  left join lateral (select p.ext_id, p.deleted_at, p.folder_id from document p where p.id = e.document_id limit 1) d on true`;

/** SQL, of `executionLocation`: what ran in an organization or document that was deleted is gone with it, though its row is removed later. */
export const visibleExecution = sql<boolean>`((e.org_id is null or o.deleted_at is null)
  and (e.document_id is null or (d.deleted_at is null and ${isVisible})))`;

/** SQL: the columns of an `ExecutionRow`. */
export const executionColumns = sql`e.id, e.ext_id, e.agent_id, e.status, e.started_at, e.completed_at, e.body,
  o.ext_id as organization_ext_id, d.ext_id as document_ext_id`;
