import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { readByIndex } from '../../platform/database/planner.ts';
import { rowsWithin, type Sizing } from '../../platform/database/within-bytes.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { invalidMember, notFound } from '../errors.ts';
import { messages } from '../messages.ts';
import { BoundedRow, withinLimit } from '../page-limit.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { liveChildren, rootFolder } from './folder-tree.ts';
import { boundedColumns, boundedFolders, folderColumns, FolderRow, idsAbove } from './read-folders.ts';

/** A folder and its subfolders down to the requested depth. */
export interface FolderBranch {
  readonly folder: FolderRow;
  /** Sorted by name, then id; undefined at the max depth. */
  readonly subFolders: readonly FolderBranch[] | undefined;
}

const maxFolders = 10_000;

const BranchRow = FolderRow.extend(BoundedRow.shape).extend({
  id: z.string(),
  parent_id: z.string().nullable(),
  depth: z.number(),
  /** Ancestor ids of a folder whose parent is not in the result; null for others. */
  above: z.array(z.string()).readonly().nullable(),
});
type BranchRow = z.infer<typeof BranchRow>;

/** Start of the recursion: its folders, their depth, and the bytes of their ancestor ids. */
interface Start {
  readonly condition: RawBuilder<unknown>;
  readonly depth: number;
  readonly pathBytes: RawBuilder<unknown>;
}

const atFolder = (folderId: string): Start => ({
  condition: sql`f.ext_id = ${folderId}`,
  depth: 0,
  pathBytes: sql` + coalesce(octet_length(array_to_string(${idsAbove(sql`f.ancestors`)}, '","')), 0)`,
});
const atRoot: Start = {
  condition: sql`f.parent_id is null and f.ext_id is not null`,
  depth: 1,
  pathBytes: sql``,
};

/** The folder limit stops the recursion itself. `path_bytes` counts ancestor ids, which every level below repeats. */
const branch = (
  tenant: Tenant,
  organization: ResolvedOrganization,
  { condition, depth, pathBytes }: Start,
  { maxDepth, maxBytes }: { readonly maxDepth: number; readonly maxBytes: number },
  sizing: Sizing,
) => sql`
  with recursive below (id, depth, path_bytes) as (
    select f.id, ${depth}::integer, octet_length(f.ext_id)${pathBytes} from folder f
    where f.api_key_id = ${tenant.id} and f.org_id = ${organization.id} and ${condition}
    union all
    select child.id, b.depth + 1, b.path_bytes + octet_length(child.ext_id) + 3
    from below b cross join lateral ${liveChildren(tenant, organization, sql`b.id`)} child where b.depth < ${maxDepth}),
  bounded as (select * from below limit ${sql.lit(maxFolders + 1)}),
  candidate as (
    select f.id, f.parent_id, b.depth, b.path_bytes, ${folderColumns},
      case when b.depth = ${depth} then ${idsAbove(sql`f.ancestors`)} end as above
    from bounded b cross join lateral (select f.* from folder f where f.id = b.id offset 0) f order by f.name, f.ext_id),
  ${boundedFolders(sizing, {
    order: sql`s.name, s.ext_id`,
    above: sql`path_bytes`,
    limit: { bytes: maxBytes, aloneBytes: maxBytes },
  })}
  select id, parent_id, depth, ${boundedColumns}, above from within order by nth`;

/**
 * Returns a folder with `maxDepth` levels of subfolders, or the children of `root`. Undefined if they exceed `maxBytes`.
 * Throws NOT_FOUND, or INVALID_ARGUMENT for more than 10,000 folders.
 */
export async function readFolderTree(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  { folderId, maxDepth }: { readonly folderId: string; readonly maxDepth: number },
  maxBytes: number,
): Promise<FolderBranch[] | undefined> {
  if (folderId === rootFolder && maxDepth === 0) return [];
  const start = folderId === rootFolder ? atRoot : atFolder(folderId);
  return readByIndex(em, async (reading) => {
    const found = await rowsWithin(reading, BranchRow, (sizing) =>
      branch(tenant, organization, start, { maxDepth, maxBytes }, sizing),
    );
    if (found.length === 0 && folderId !== rootFolder) throw notFound(messages.folderMissing);
    return branches(found, maxDepth);
  });
}

function branches(found: readonly BranchRow[], maxDepth: number): FolderBranch[] | undefined {
  if (Number(found[0]?.candidates ?? 0) > maxFolders) throw treeTooLarge('more than 10,000 folders');
  if (withinLimit(found).cut) return undefined;
  const children = Map.groupBy(found, ({ parent_id, above }) => (above === null ? parent_id : null));
  const grow = (
    { id, parent_id: _parent, depth, fits: _fits, candidates: _candidates, ...row }: BranchRow,
    above: readonly string[],
  ): FolderBranch => {
    const below = [...above, row.ext_id];
    return {
      folder: { ...row, above },
      subFolders:
        depth === maxDepth ? undefined : (children.get(id) ?? []).map((child) => grow(child, below)),
    };
  };
  return (children.get(null) ?? []).map((top) => grow(top, top.above ?? []));
}

/** Returns INVALID_ARGUMENT: a nested response is never cut. */
export function treeTooLarge(size: string): Error {
  return invalidMember('maxDepth', `maxDepth is too large: the response would contain ${size}.`);
}
