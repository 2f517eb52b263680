import { sql } from 'kysely';
import { z } from 'zod';
import { done, failed, type Outcome, type Outcomes } from '../batch.ts';
import { metadataPatch } from '../metadata.ts';
import { indexMetadata, lockPeopleInMetadata } from '../users/people-in-metadata.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf } from '../tables.ts';
import { accessTypeColumn } from '../tenancy/access-types.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import type { FolderInput } from './folder-input.ts';
import { folderTexts } from './folder-texts.ts';
import { deepestFolder, lockFolderTree, rootFolder } from './folder-tree.ts';
import { arrayText, namedFolders, type FolderPath } from './named-folders.ts';

interface NewFolder {
  readonly input: FolderInput;
  readonly id: string;
  readonly ancestors: readonly string[];
}

/**
 * Adds folders in any order, parents before children. One that exists, that would be too deep or whose parent is missing
 * fails alone, and with it those below it. As many statements for a thousand as for one.
 */
export async function addFolders(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  folders: readonly FolderInput[],
): Promise<Outcomes> {
  await lockFolderTree(em, organization);
  const known = await namedFolders(em, tenant, organization, folders);
  const fresh = folders.filter(({ folderId }) => !known.has(folderId));
  const ids = await takeIds(em, fresh.length);
  const { placed, outcomes } = place(fresh, known, ids);
  const inputs = placed.map(({ input }) => input);
  await lockPeopleInMetadata(em, tenant, inputs, [organization.id]);
  await insert(em, tenant, organization, placed);
  const written = new Map(placed.map(({ id, input }) => [input, id]));
  await indexMetadata(em, tenant, 'folder', inputs, (input) => written.get(input));
  const otherwise = failed('already-exists', folderTexts.exists);
  return new Map(folders.map(({ folderId }) => [folderId, outcomes.get(folderId) ?? otherwise]));
}

/** Taken ahead of the insert, so that rows of one statement can point at each other. */
async function takeIds(em: EntityManager, count: number): Promise<string[]> {
  if (count === 0) return [];
  const taken = await rowsOf(
    em,
    TakenRow,
    sql`select nextval(pg_get_serial_sequence('folder', 'id')) as id from generate_series(1, ${count}::integer)`,
  );
  return taken.map(({ id }) => id);
}

const TakenRow = z.strictObject({ id: z.string() });

/** Gives each folder its place, from the top down: the folders that are there are the first parents, those placed the next. */
function place(
  fresh: readonly FolderInput[],
  known: ReadonlyMap<string, FolderPath>,
  ids: readonly string[],
): { readonly placed: NewFolder[]; readonly outcomes: ReadonlyMap<string, Outcome> } {
  const missing = failed('not-found', folderTexts.parentMissing);
  const outcomes = new Map<string, Outcome>(fresh.map(({ folderId }) => [folderId, missing]));
  const children = Map.groupBy(fresh, ({ parentFolderId = rootFolder }) => parentFolderId);
  const placed: NewFolder[] = [];
  const placeBelow = (parentFolderId: string, ancestors: readonly string[]): void => {
    for (const input of children.get(parentFolderId) ?? []) {
      if (ancestors.length >= deepestFolder) {
        outcomes.set(input.folderId, failed('failed-precondition', folderTexts.tooDeep));
        continue;
      }
      const id = ids[placed.length];
      if (id === undefined) throw new Error('More folders were placed than ids were taken.');
      placed.push({ input, id, ancestors });
      outcomes.set(input.folderId, done('Folder added.'));
    }
  };
  placeBelow(rootFolder, []);
  for (const { ext_id, id, ancestors } of known.values()) placeBelow(ext_id, [...ancestors, id]);
  // Grows while it is walked, until the deepest has been seen.
  for (const { input, id, ancestors } of placed) placeBelow(input.folderId, [...ancestors, id]);
  return { placed, outcomes };
}

async function insert(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  placed: readonly NewFolder[],
): Promise<void> {
  if (placed.length === 0) return;
  const inputs = placed.map(({ input }) => input);
  await sql`insert into folder (id, api_key_id, org_id, ext_id, parent_id, ancestors, name, access_type, metadata)
    overriding system value
    select s.id, ${tenant.id}, ${organization.id}, s.ext_id, s.parent_id, s.ancestors::bigint[], coalesce(s.name, s.ext_id),
      s.access_type, s.metadata
    from unnest(${placed.map(({ id }) => id)}::bigint[], ${inputs.map(({ folderId }) => folderId)}::text[],
      ${placed.map(({ ancestors }) => ancestors.at(-1) ?? null)}::bigint[],
      ${placed.map(({ ancestors }) => arrayText(ancestors))}::text[],
      ${inputs.map(({ folderName }) => folderName ?? null)}::text[], ${accessTypeColumn(inputs)}::smallint[],
      ${inputs.map(({ metadata }) => metadataPatch(metadata).set)}::jsonb[])
      as s (id, ext_id, parent_id, ancestors, name, access_type, metadata)`.execute(tablesOf(em));
}
