import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import type { SelectedRecords } from './selected-records.ts';
import { isVisible } from '../documents/resolve-document.ts';

/** What a cascade removes with all below it: surrogate keys of tombstoned rows. */
export interface CascadeRequest {
  readonly organizations: readonly string[];
  /** With all of their subfolders. */
  readonly folders: readonly string[];
  readonly documents: readonly string[];
  readonly records?: SelectedRecords;
}

type Tombstoned = Exclude<keyof CascadeRequest, 'records'>;

/** A part of a request, few enough ids for one statement. */
export interface Target {
  readonly of: Tombstoned;
  readonly ids: readonly string[];
}

const idsOfTarget = 500;
const documentsAtOnce = 200;

/** In the order in which they are worked off. */
export function targetsOf(request: CascadeRequest): Target[] {
  return (['documents', 'folders', 'organizations'] as const).flatMap((of) => slices(of, request[of]));
}

function slices(of: Tombstoned, ids: readonly string[]): Target[] {
  const count = Math.ceil(ids.length / idsOfTarget);
  return Array.from({ length: count }, (_, at) => ({
    of,
    ids: ids.slice(at * idsOfTarget, (at + 1) * idsOfTarget),
  }));
}

/**
 * Documents of a target that are still there; none of them can be seen or named any more. Those of a folder are
 * tombstoned here: that waits for writers that named them before the folder went. A row that is not deleted, nor in
 * anything deleted, is never answered, whatever the request says.
 */
const nextStatements = {
  documents: (ids, tenantId) => sql`select id from document
    where id = any(${ids}) and api_key_id = ${tenantId} and deleted_at is not null limit ${documentsAtOnce}`,
  folders: (ids, tenantId) => sql`with next as (
      select id from document where folder_id = any(${ids}) and api_key_id = ${tenantId} limit ${documentsAtOnce})
    update document d set ext_id = null, deleted_at = coalesce(d.deleted_at, now())
    where d.id = any(array(select id from next)) and d.folder_id = any(${ids}) and not ${isVisible} returning d.id`,
  organizations: (ids, tenantId) => sql`select d.id from document d
    where d.org_id = any(${ids}) and d.api_key_id = ${tenantId}
      and exists (select from organization o where o.id = d.org_id and o.deleted_at is not null) limit ${documentsAtOnce}`,
} satisfies Record<Tombstoned, (ids: readonly string[], tenantId: string) => RawBuilder<unknown>>;

const NextRow = z.strictObject({ id: z.string() });

/** Ascending. */
export async function nextDocuments(em: EntityManager, tenantId: string, target: Target): Promise<string[]> {
  const found = await rowsOf(em, NextRow, nextStatements[target.of](target.ids, tenantId));
  return found.map(({ id }) => id).sort((left, right) => Number(BigInt(left) - BigInt(right)));
}
