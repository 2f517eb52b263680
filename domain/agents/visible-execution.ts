import { sql } from 'kysely';
import { isVisible } from '../documents/resolve-document.ts';

/**
 * SQL: the organization `o` and document `d` of an execution `e`. Lateral joins look up each by key; otherwise a cached
 * plan may scan all documents.
 */
export const executionLocation = sql`
  left join lateral (select p.ext_id, p.deleted_at from organization p where p.id = e.org_id limit 1) o on true
  left join lateral (select p.ext_id, p.deleted_at, p.folder_id from document p where p.id = e.document_id limit 1) d on true`;

/** SQL after `executionLocation`: false once the organization or document is deleted, before its rows are removed. */
export const visibleExecution = sql<boolean>`((e.org_id is null or o.deleted_at is null)
  and (e.document_id is null or (d.deleted_at is null and ${isVisible})))`;

/** SQL: the columns of an `ExecutionRow`. */
export const executionColumns = sql`e.id, e.ext_id, e.agent_id, e.status, e.started_at, e.completed_at, e.body,
  o.ext_id as organization_ext_id, d.ext_id as document_ext_id`;
