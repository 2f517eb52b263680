import { invalidMember, notFound } from '../errors.ts';
import { messages } from '../messages.ts';
import { withinLimit, type BoundedRow } from '../page-limit.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { readByIndex } from '../../platform/database/look-ups.ts';
import { rowsWithin, type Sizing } from '../../platform/database/within-bytes.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rootFolder } from './folder-tree.ts';
import { boundedColumns, boundedFolders, folderColumns, idsAbove, type FolderRow } from './read-folders.ts';

/** A folder and what is below it, as deep as was asked. */
export interface FolderBranch {
  readonly folder: FolderRow;
  /** Sorted by name, then id; undefined below the depth that was asked. */
  readonly subFolders: readonly FolderBranch[] | undefined;
}

const mostFolders = 10_000;

interface BranchRow extends Omit<FolderRow, 'above'>, BoundedRow {
  readonly id: string;
  readonly parent_id: string | null;
  readonly depth: number;
  /** Of a folder that has no parent in the answer. */
  readonly above: readonly string[] | null;
}

/** SQL: bytes of the ids above a folder `f` and of its own, as JSON. */
const pathBytes = `octet_length(f.ext_id) + coalesce(octet_length(array_to_string(${idsAbove('f.ancestors')}, '","')), 0)`;

/** SQL: the folders directly below `b`, by the parent alone; see `liveChildren` of `folder-tree.ts`. */
const liveChildren = `(
  select child.id, child.ext_id from (select f.id, f.ext_id, f.api_key_id, f.org_id, f.deleted_at from folder f
    where f.parent_id = b.id offset 0) child
  where child.api_key_id = $1 and child.org_id = $2 and child.deleted_at is null)`;

/** The limit stops the recursion, not only what comes of it. `path_bytes`: a folder's ids of ancestors repeat on every level below it. */
const branch = (first: string, sizing: Sizing): string => `
  with recursive below (id, depth, path_bytes) as (
    ${first}
    union all
    select child.id, b.depth + 1, b.path_bytes + octet_length(child.ext_id) + 3 from below b cross join lateral ${liveChildren} child where b.depth < $3),
  bounded as (select * from below limit ${String(mostFolders + 1)}),
  candidate as (
    select f.id, f.parent_id, b.depth, b.path_bytes, ${folderColumns},
      case when b.depth = $4 then ${idsAbove('f.ancestors')} end as above
    from bounded b cross join lateral (select f.* from folder f where f.id = b.id offset 0) f order by f.name, f.ext_id),
  ${boundedFolders(sizing, { order: 's.name, s.ext_id', above: 'path_bytes', bytes: '$5::bigint', aloneBytes: '$5::bigint' })}
  select id, parent_id, depth, ${boundedColumns}, above from within order by nth`;

const belowFolder = (sizing: Sizing): string =>
  branch(
    `select f.id, $4::integer, ${pathBytes} from folder f where f.api_key_id = $1 and f.org_id = $2 and f.ext_id = $6`,
    sizing,
  );
const belowRoot = (sizing: Sizing): string =>
  branch(
    `select f.id, $4::integer, octet_length(f.ext_id) from folder f
     where f.api_key_id = $1 and f.org_id = $2 and f.parent_id is null and f.ext_id is not null`,
    sizing,
  );

/**
 * The folder with its subfolders, `maxDepth` levels of them; of `root`, which is no folder itself, the children. Undefined
 * when they have more than `maxBytes` bytes. Throws NOT_FOUND, or INVALID_ARGUMENT for more than 10,000 folders.
 */
export async function readFolderTree(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  { folderId, maxDepth }: { readonly folderId: string; readonly maxDepth: number },
  maxBytes: number,
): Promise<FolderBranch[] | undefined> {
  if (folderId === rootFolder && maxDepth === 0) return [];
  const place = [tenant.id, organization.id, maxDepth];
  return readByIndex(em, async (reading) => {
    if (folderId === rootFolder) {
      return branches(await rowsWithin<BranchRow>(reading, belowRoot, [...place, 1, maxBytes]), maxDepth);
    }
    const found = await rowsWithin<BranchRow>(reading, belowFolder, [...place, 0, maxBytes, folderId]);
    if (found.length === 0) throw notFound(messages.folderMissing);
    return branches(found, maxDepth);
  });
}

function branches(found: readonly BranchRow[], maxDepth: number): FolderBranch[] | undefined {
  if (Number(found[0]?.candidates ?? 0) > mostFolders) throw treeTooLarge('more than 10,000 folders');
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

/** INVALID_ARGUMENT: a nested response is whole or refused. */
export function treeTooLarge(what: string): Error {
  return invalidMember('maxDepth', `maxDepth is too large here: the answer would hold ${what}.`);
}
