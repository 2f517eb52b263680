import { invalidMember, notFound } from '../errors.ts';
import { messages } from '../messages.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { readByIndex } from '../../platform/database/look-ups.ts';
import { rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { liveChildren, rootFolder } from './folder-tree.ts';
import { folderColumns, idsAbove, type FolderRow } from './read-folders.ts';

/** A folder and what is below it, as deep as was asked. */
export interface FolderBranch {
  readonly folder: FolderRow;
  /** Sorted by name, then id; undefined below the depth that was asked. */
  readonly subFolders: readonly FolderBranch[] | undefined;
}

const mostFolders = 10_000;
/** Of the ids in `ancestors`, which repeat on every level: a folder's may be 64,000 long. */
const mostAncestorCharacters = 100_000_000;

interface BranchRow extends Omit<FolderRow, 'above'> {
  readonly id: string;
  readonly parent_id: string | null;
  readonly depth: number;
  /** Of a folder that has no parent in the answer. */
  readonly above: readonly string[] | null;
}

/** The limit stops the recursion, not only what comes of it. */
const branch = (first: string): string => `
  with recursive below (id, depth) as (
    ${first}
    union all
    select child.id, b.depth + 1 from below b cross join lateral ${liveChildren('b.id')} child where b.depth < $3),
  bounded as (select id, depth from below limit ${String(mostFolders + 1)})
  select f.id, f.parent_id, b.depth, ${folderColumns},
    case when b.depth = $4 then ${idsAbove('f.ancestors')} end as above
  from bounded b cross join lateral (select f.* from folder f where f.id = b.id offset 0) f order by f.name, f.ext_id`;

const belowFolder = branch(
  'select f.id, $4::integer from folder f where f.api_key_id = $1 and f.org_id = $2 and f.ext_id = $5',
);
const belowRoot = branch(
  `select f.id, $4::integer from folder f
   where f.api_key_id = $1 and f.org_id = $2 and f.parent_id is null and f.ext_id is not null`,
);

/**
 * The folder with its subfolders, `maxDepth` levels of them; of `root`, which is no folder itself, the children. Throws
 * NOT_FOUND, or INVALID_ARGUMENT when the answer would be too large.
 */
export async function readFolderTree(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  { folderId, maxDepth }: { readonly folderId: string; readonly maxDepth: number },
): Promise<FolderBranch[]> {
  if (folderId === rootFolder && maxDepth === 0) return [];
  const place = [tenant.id, organization.id, maxDepth];
  return readByIndex(em, async (reading) => {
    if (folderId === rootFolder) {
      return branches(await rows<BranchRow>(reading, belowRoot, [...place, 1]), maxDepth);
    }
    const found = await rows<BranchRow>(reading, belowFolder, [...place, 0, folderId]);
    if (found.length === 0) throw notFound(messages.folderMissing);
    return branches(found, maxDepth);
  });
}

function branches(found: readonly BranchRow[], maxDepth: number): FolderBranch[] {
  if (found.length > mostFolders) throw tooLarge('more than 10,000 folders');
  const children = Map.groupBy(found, ({ parent_id, above }) => (above === null ? parent_id : null));
  let characters = 0;
  const grow = (
    { id, parent_id: _parent, depth, ...row }: BranchRow,
    above: readonly string[],
  ): FolderBranch => {
    characters += above.reduce((sum, { length }) => sum + length, 0);
    if (characters > mostAncestorCharacters) throw tooLarge('too many ids of ancestors');
    const below = [...above, row.ext_id];
    return {
      folder: { ...row, above },
      subFolders:
        depth === maxDepth ? undefined : (children.get(id) ?? []).map((child) => grow(child, below)),
    };
  };
  return (children.get(null) ?? []).map((top) => grow(top, top.above ?? []));
}

function tooLarge(what: string): Error {
  return invalidMember('maxDepth', `maxDepth is too large here: the answer would hold ${what}.`);
}
