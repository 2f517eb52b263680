import { accessTypeName } from '../tenancy/access-types.ts';
import type { ResourceKind } from '../tenancy/resource-kinds.ts';
import type { AccessType } from '../tenancy/tenant.ts';
import { resourceKindName } from './resource.ts';
import type { PathRow, LocatedRow, VerdictReason } from './verdict.ts';

/** The user's grant and membership on the resource, a folder above it or the organization. */
export interface PathLevel {
  readonly type: ResourceKind;
  readonly id: string;
  readonly found: 'grant' | 'membership' | 'expired-grant' | 'nothing';
  /** The access type set on this level; undefined when not set. */
  readonly accessType: AccessType | undefined;
}

/**
 * The effective access type and its source, when neither a grant nor a membership decided; `document` is the resource
 * itself.
 */
export type FoundAccessType = { readonly found: 'access-type'; readonly accessType: AccessType } & (
  { readonly from: 'document' | 'key default' } | { readonly from: 'folder'; readonly folderId: string }
);

export type PathElement = PathLevel | FoundAccessType;

/**
 * Lists the findings at each level, from the resource up, and last the access type if it decided. Empty for a resource
 * that does not exist. Other deciding conditions appear in `reason` only.
 */
export function explainAccess(
  row: LocatedRow,
  path: readonly PathRow[],
  reason: VerdictReason,
): PathElement[] {
  if (row.resource === null) return [];
  const levels = path.map(levelOf);
  // An organization has no access type: only memberships and grants decide.
  const byType = typeReasons.has(reason) && row.type !== null;
  return byType ? [...levels, accessTypeFrom(accessTypeName(row.type), path)] : levels;
}

const typeReasons: ReadonlySet<VerdictReason> = new Set(['public', 'organization-private', 'restricted']);

/** The nearest level with an access type decides, else the API key's default. */
function accessTypeFrom(accessType: AccessType, path: readonly PathRow[]): FoundAccessType {
  const level = path.find(({ type }) => type !== null);
  if (level === undefined) return { found: 'access-type', accessType, from: 'key default' };
  if (resourceKindName(level.kind) === 'folder')
    return { found: 'access-type', accessType, from: 'folder', folderId: level.id };
  return { found: 'access-type', accessType, from: 'document' };
}

function levelOf({ kind, id, type, grant, granted, member }: PathRow): PathLevel {
  const without = grant ? 'expired-grant' : 'nothing';
  const held = member ? 'membership' : without;
  return {
    type: resourceKindName(kind),
    id,
    found: granted ? 'grant' : held,
    accessType: type === null ? undefined : accessTypeName(type),
  };
}
