import { sql } from 'kysely';
import { z } from 'zod';
import { keysLiteral } from '../../platform/database/array-literal.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { done, failed, type Outcome, type Outcomes } from '../batch.ts';
import { messages } from '../messages.ts';
import { judgedMetadata, mergedMetadata, metadataPatch, metadataTooLarge } from '../metadata.ts';
import { indexMetadata, lockPeopleInMetadata, refuseManyInMetadata } from '../users/people-in-metadata.ts';
import { lockOrganization, type ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { FolderInput } from './folder-input.ts';
import { folderTexts } from './folder-texts.ts';
import { liveChildren, lockFolderTree, rootFolder } from './folder-tree.ts';
import { MovingFolders } from './moving-folders.ts';
import { namedIds, type FolderPath } from './named-folders.ts';

/** A folder that the call names. `fits`: whether it may hold the metadata that its update would store. */
interface NamedFolder extends FolderPath {
  readonly fits: boolean;
}

type Known = ReadonlyMap<string, NamedFolder>;

interface Update {
  readonly input: FolderInput;
  readonly id: string;
  /** New parent by surrogate key. Undefined: not moved. Null: the top level. */
  readonly parent: string | null | undefined;
}

type Validated = { readonly folderId: string } & (
  | { readonly update: Update; readonly rejection?: undefined }
  | { readonly update?: undefined; readonly rejection: Outcome }
);

const rejections = {
  'into-itself': failed('failed-precondition', folderTexts.intoItself),
  'too-deep': failed('failed-precondition', folderTexts.tooDeep),
} as const;

/**
 * Renames and moves folders and merges their metadata, in the order sent: each update sees the previous ones. A folder with
 * an invalid move or too large metadata is not changed at all. On return the ancestors of all folders below are correct. The
 * number of statements does not depend on the number of folders. Refuses too many users in metadata before it looks up the
 * organization.
 */
export async function updateFolders(
  em: EntityManager,
  tenant: Tenant,
  organizationId: string,
  folders: readonly FolderInput[],
): Promise<Outcomes> {
  refuseManyInMetadata(folders);
  const organization = await lockOrganization(em, tenant, organizationId);
  await lockFolderTree(em, organization);
  const known = await lockNamed(em, tenant, organization, folders);
  const requests = folders.map((input) => validate(input, known));
  const leaving = requests.flatMap(({ update }) => (update?.parent === undefined ? [] : [update.id]));
  const reaches = await reachesBelow(em, tenant, organization, leaving, known);
  const moving = new MovingFolders([...known.values()], reaches);
  const updates: Update[] = [];
  const outcomes = new Map<string, Outcome>();
  for (const { folderId, update, rejection } of requests) {
    const outcome = update === undefined ? rejection : judge(moving, update);
    if (update !== undefined && outcome.success) updates.push(update);
    outcomes.set(folderId, outcome);
  }
  const written = new Map(updates.map(({ input, id }) => [input, id]));
  await lockPeopleInMetadata(em, tenant, [...written.keys()], [organization.id]);
  await write(em, tenant, organization, updates);
  await indexMetadata(em, tenant, 'folder', [...written.keys()], (input) => written.get(input));
  await rewriteAncestors(em, tenant, organization, moving.changed(), known);
  return outcomes;
}

/** Locks `namedFolders`, and reads whether their new metadata fits. */
async function lockNamed(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  folders: readonly FolderInput[],
): Promise<Known> {
  const patches = folders.map(({ metadata }) => metadataPatch(metadata));
  const found = await rowsOf(
    em,
    NamedRow,
    sql`with locked as (
        select f.id, f.ext_id, f.ancestors, f.metadata as stored, coalesce(s.set, '{}') as set, coalesce(s.removed, '[]') as removed
        from folder f left join unnest(${folders.map(({ folderId }) => folderId)}::text[], ${patches.map(({ set }) => set)}::jsonb[],
          ${patches.map(({ remove }) => JSON.stringify(remove))}::jsonb[]) as s (ext_id, set, removed) on s.ext_id = f.ext_id
        where f.api_key_id = ${tenant.id} and f.org_id = ${organization.id} and f.ext_id = any(${namedIds(folders)}::text[])
        order by f.id for no key update of f)
      select id, ext_id, ancestors, fits from ${judgedMetadata(sql`locked`)} j`,
  );
  return new Map(found.map((folder) => [folder.ext_id, folder]));
}

const NamedRow = z.strictObject({
  id: z.string(),
  ext_id: z.string(),
  ancestors: z.array(z.string()),
  fits: z.boolean(),
});

/** Returns the update, or its rejection by rules that do not depend on the order of updates. */
function validate(input: FolderInput, known: Known): Validated {
  const { folderId, parentFolderId } = input;
  const folder = known.get(folderId);
  const rejected = (text: string): Validated => ({ folderId, rejection: failed('not-found', text) });
  if (folder === undefined) return rejected(messages.folderMissing);
  const { id, ancestors, fits } = folder;
  if (!fits) return { folderId, rejection: metadataTooLarge() };
  if (parentFolderId === undefined) return { folderId, update: { input, id, parent: undefined } };
  const parent = parentFolderId === rootFolder ? null : known.get(parentFolderId)?.id;
  if (parent === undefined) return rejected(folderTexts.parentMissing);
  const stays = parent === (ancestors.at(-1) ?? null);
  return { folderId, update: { input, id, parent: stays ? undefined : parent } };
}

function judge(moving: MovingFolders, { id, parent }: Update): Outcome {
  const result = parent === undefined ? 'moved' : moving.move(id, parent);
  return result === 'moved' ? done('Folder Updated.') : rejections[result];
}

/** Levels of unnamed folders down to the next named ones, by id, for moved folders and for the named ones below them. */
async function reachesBelow(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  leaving: readonly string[],
  known: Known,
): Promise<ReadonlyMap<string, number>> {
  if (leaving.length === 0) return new Map();
  const named = sql`child.id = any(${[...known.values()].map(({ id }) => id)}::bigint[])`;
  const found = await rowsOf(
    em,
    ReachRow,
    sql`with recursive below (id, owner, distance) as (
        select id, id, 0 from unnest(${leaving}::bigint[]) as leaving (id)
        union all
        select child.id, case when ${named} then child.id else b.owner end, case when ${named} then 0 else b.distance + 1 end
        from below b cross join lateral ${liveChildren(tenant, organization, sql`b.id`)} child
        where child.id <> all(${leaving}::bigint[]))
      select owner, max(distance) as reach from below group by owner`,
  );
  return new Map(found.map(({ owner, reach }) => [owner, reach]));
}

const ReachRow = z.strictObject({ owner: z.string(), reach: z.number() });

async function write(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  updates: readonly Update[],
): Promise<void> {
  if (updates.length === 0) return;
  const patches = updates.map(({ input }) => metadataPatch(input.metadata));
  await sql`update folder f set name = coalesce(s.name, f.name), updated_at = now(),
      parent_id = case when s.moves then s.parent_id else f.parent_id end,
      metadata = ${mergedMetadata(sql`f.metadata`, sql`s.set`, sql`s.removed`)}
    from unnest(${updates.map(({ id }) => id)}::bigint[], ${updates.map(({ input }) => input.folderName ?? null)}::text[],
      ${updates.map(({ parent }) => parent !== undefined)}::boolean[], ${updates.map(({ parent }) => parent ?? null)}::bigint[],
      ${patches.map(({ set }) => set)}::jsonb[], ${patches.map(({ remove }) => JSON.stringify(remove))}::jsonb[])
      as s (id, name, moves, parent_id, set, removed)
    where f.id = s.id and f.api_key_id = ${tenant.id} and f.org_id = ${organization.id}`.execute(
    tablesOf(em),
  );
}

/**
 * Rewrites ancestors of the changed folders and of all folders below them, down to the next named one, which has its own
 * entry.
 */
async function rewriteAncestors(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  changed: ReadonlyMap<string, readonly string[]>,
  known: Known,
): Promise<void> {
  if (changed.size === 0) return;
  await sql`with recursive below (id, ancestors) as (
      select id, ancestors::bigint[]
      from unnest(${[...changed.keys()]}::bigint[], ${[...changed.values()].map(keysLiteral)}::text[]) as changed (id, ancestors)
      union all
      select child.id, b.ancestors || b.id
      from below b cross join lateral ${liveChildren(tenant, organization, sql`b.id`)} child
      where child.id <> all(${[...known.values()].map(({ id }) => id)}::bigint[]))
    update folder f set ancestors = b.ancestors from below b where f.id = b.id`.execute(tablesOf(em));
}
