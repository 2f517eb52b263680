import { sql } from 'kysely';
import { z } from 'zod';
import { keysLiteral } from '../../platform/database/array-literal.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { done, failed, type Outcome, type Outcomes } from '../batch.ts';
import { metadataPatch } from '../metadata.ts';
import { indexMetadata, lockPeopleInMetadata, refuseManyInMetadata } from '../users/people-in-metadata.ts';
import { lockOrganization, type ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf } from '../tables.ts';
import { accessTypeColumn } from '../tenancy/access-types.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { countUsage } from '../tenancy/usage.ts';
import type { FolderInput } from './folder-input.ts';
import { folderTexts } from './folder-texts.ts';
import { maxFolderDepth, lockFolderTree, rootFolder } from './folder-tree.ts';
import { namedFolders, type FolderPath } from './named-folders.ts';

interface NewFolder {
  readonly input: FolderInput;
  readonly id: string;
  readonly ancestors: readonly string[];
}

/** The folders that a call adds to an organization. */
export interface FolderWrite {
  readonly organizationId: string;
  /** The operation's flag: true creates a missing organization. */
  readonly createOrganization: boolean;
  readonly folders: readonly FolderInput[];
}

/** Adds folders like `addFoldersIn`. Refuses too many users in metadata before it looks up the organization. */
export async function addFolders(
  em: EntityManager,
  tenant: Tenant,
  { organizationId, createOrganization, folders }: FolderWrite,
): Promise<Outcomes> {
  refuseManyInMetadata(folders);
  const organization = await lockOrganization(em, tenant, organizationId, createOrganization);
  return addFoldersIn(em, tenant, organization, folders);
}

/**
 * Adds folders in any order to a locked organization. A folder that exists, would be too deep or has no parent fails
 * together with those below it. The number of statements does not depend on the number of folders.
 */
export async function addFoldersIn(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  folders: readonly FolderInput[],
): Promise<Outcomes> {
  await lockFolderTree(em, organization);
  const known = await namedFolders(em, tenant, organization, folders);
  const fresh = folders.filter(({ folderId }) => !known.has(folderId));
  const ids = await reserveIds(em, fresh.length);
  const { added, outcomes } = addBelowParents(fresh, known, ids);
  const inputs = added.map(({ input }) => input);
  await lockPeopleInMetadata(em, tenant, inputs, [organization.id]);
  await insert(em, tenant, organization, added);
  countUsage(em, tenant.id, 'folders', added.length);
  const written = new Map(added.map(({ id, input }) => [input, id]));
  await indexMetadata(em, tenant, 'folder', inputs, (input) => written.get(input));
  const otherwise = failed('already-exists', folderTexts.exists);
  return new Map(folders.map(({ folderId }) => [folderId, outcomes.get(folderId) ?? otherwise]));
}

/** Reserves surrogate keys before the insert, so that rows of one statement can reference each other. */
async function reserveIds(em: EntityManager, count: number): Promise<string[]> {
  if (count === 0) return [];
  const reserved = await rowsOf(
    em,
    ReservedRow,
    sql`select nextval(pg_get_serial_sequence('folder', 'id')) as id from generate_series(1, ${count}::integer)`,
  );
  return reserved.map(({ id }) => id);
}

const ReservedRow = z.strictObject({ id: z.string() });

/** Gives each folder its ancestors, top down: first below existing folders, then below those just added. */
function addBelowParents(
  fresh: readonly FolderInput[],
  known: ReadonlyMap<string, FolderPath>,
  ids: readonly string[],
): { readonly added: NewFolder[]; readonly outcomes: ReadonlyMap<string, Outcome> } {
  const missing = failed('not-found', folderTexts.parentMissing);
  const outcomes = new Map<string, Outcome>(fresh.map(({ folderId }) => [folderId, missing]));
  const children = Map.groupBy(fresh, ({ parentFolderId = rootFolder }) => parentFolderId);
  const added: NewFolder[] = [];
  const addBelow = (parentFolderId: string, ancestors: readonly string[]): void => {
    for (const input of children.get(parentFolderId) ?? []) {
      if (ancestors.length >= maxFolderDepth) {
        outcomes.set(input.folderId, failed('failed-precondition', folderTexts.tooDeep));
        continue;
      }
      const id = ids[added.length];
      if (id === undefined) throw new Error('more new folders than reserved surrogate keys');
      added.push({ input, id, ancestors });
      outcomes.set(input.folderId, done('Folder added.'));
    }
  };
  addBelow(rootFolder, []);
  for (const { ext_id, id, ancestors } of known.values()) addBelow(ext_id, [...ancestors, id]);
  // `added` grows during this loop, until the deepest folder is processed.
  for (const { input, id, ancestors } of added) addBelow(input.folderId, [...ancestors, id]);
  return { added, outcomes };
}

async function insert(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  added: readonly NewFolder[],
): Promise<void> {
  if (added.length === 0) return;
  const inputs = added.map(({ input }) => input);
  await sql`insert into folder (id, api_key_id, org_id, ext_id, parent_id, ancestors, name, access_type, metadata)
    overriding system value
    select s.id, ${tenant.id}, ${organization.id}, s.ext_id, s.parent_id, s.ancestors::bigint[], coalesce(s.name, s.ext_id),
      s.access_type, s.metadata
    from unnest(${added.map(({ id }) => id)}::bigint[], ${inputs.map(({ folderId }) => folderId)}::text[],
      ${added.map(({ ancestors }) => ancestors.at(-1) ?? null)}::bigint[],
      ${added.map(({ ancestors }) => keysLiteral(ancestors))}::text[],
      ${inputs.map(({ folderName }) => folderName ?? null)}::text[], ${accessTypeColumn(inputs)}::smallint[],
      ${inputs.map(({ metadata }) => metadataPatch(metadata).set)}::jsonb[])
      as s (id, ext_id, parent_id, ancestors, name, access_type, metadata)`.execute(tablesOf(em));
}
