import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { isVisible } from '../documents/resolve-document.ts';
import type { SelectedRecords } from './selected-records.ts';

type Tombstoned = 'organizations' | 'folders' | 'documents';

/**
 * The tombstoned rows, by surrogate key, that a cascade removes with their descendants; `folders` includes all
 * subfolders. Persisted with the job. The lists are absent for a selection of records.
 */
export type CascadeRequest = { readonly [Kind in Tombstoned]?: readonly string[] } & {
  readonly records?: SelectedRecords;
};

/** A chunk of a request, small enough for one statement. */
export interface Target {
  readonly of: Tombstoned;
  readonly ids: readonly string[];
}

const maxTargetIds = 500;
const maxDocuments = 200;

/** Splits a request into chunks, in processing order. */
export function targetsOf(request: CascadeRequest): Target[] {
  return (['documents', 'folders', 'organizations'] as const).flatMap((of) =>
    chunksOf(of, request[of] ?? []),
  );
}

function chunksOf(of: Tombstoned, ids: readonly string[]): Target[] {
  const count = Math.ceil(ids.length / maxTargetIds);
  return Array.from({ length: count }, (_, at) => ({
    of,
    ids: ids.slice(at * maxTargetIds, (at + 1) * maxTargetIds),
  }));
}

/**
 * SQL: the next invisible documents of a target. Documents of folders are tombstoned here, which waits for writers that
 * resolved them before the folder was deleted. Never returns a visible document, whatever the request contains.
 */
const nextStatements = {
  documents: (ids, tenantId) => sql`select id from document
    where id = any(${ids}) and api_key_id = ${tenantId} and deleted_at is not null limit ${maxDocuments}`,
  folders: (ids, tenantId) => sql`with next as (
      select id from document where folder_id = any(${ids}) and api_key_id = ${tenantId} limit ${maxDocuments})
    update document d set ext_id = null, deleted_at = coalesce(d.deleted_at, now())
    where d.id = any(array(select id from next)) and d.folder_id = any(${ids}) and not ${isVisible} returning d.id`,
  organizations: (ids, tenantId) => sql`select d.id from document d
    where d.org_id = any(${ids}) and d.api_key_id = ${tenantId}
      and exists (select from organization o where o.id = d.org_id and o.deleted_at is not null) limit ${maxDocuments}`,
} satisfies Record<Tombstoned, (ids: readonly string[], tenantId: string) => RawBuilder<unknown>>;

const NextRow = z.strictObject({ id: z.string() });

/** Returns up to 200 surrogate keys of invisible documents of a target, ascending. */
export async function nextDocuments(em: EntityManager, tenantId: string, target: Target): Promise<string[]> {
  const found = await rowsOf(em, NextRow, nextStatements[target.of](target.ids, tenantId));
  return found.map(({ id }) => id).sort((left, right) => Number(BigInt(left) - BigInt(right)));
}
