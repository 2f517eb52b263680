import { accessTypeName } from '../tenancy/access-types.ts';
import type { ResourceKind } from '../tenancy/resource-kinds.ts';
import type { AccessType } from '../tenancy/tenant.ts';
import { resourceKindName } from './resource.ts';
import type { PathRow, LocatedRow, Reason } from './verdict.ts';

/** What a resource, a folder above it or the organization holds for the user. */
export interface PathLevel {
  readonly type: ResourceKind;
  readonly id: string;
  readonly found: 'grant' | 'membership' | 'expired-grant' | 'nothing';
  /** Its own; undefined when it has none. */
  readonly accessType: AccessType | undefined;
}

/** The access type, where neither grant nor membership decided, and where it is set; `document` is the resource itself. */
export type FoundAccessType = { readonly found: 'access-type'; readonly accessType: AccessType } & (
  { readonly from: 'document' | 'key default' } | { readonly from: 'folder'; readonly folderId: string }
);

export type PathElement = PathLevel | FoundAccessType;

/**
 * Lists what was found from the resource upward; where the access type decided, it is the last element. Empty for a
 * resource that does not exist. What else decides is named by the reason alone.
 */
export function explainAccess(row: LocatedRow, path: readonly PathRow[], reason: Reason): PathElement[] {
  if (row.resource === null) return [];
  const places = path.map(levelOf);
  // An organization has no access type: its members and grants alone decide.
  const byType = typeReasons.has(reason) && row.type !== null;
  return byType ? [...places, accessTypeFrom(accessTypeName(row.type), path)] : places;
}

const typeReasons: ReadonlySet<Reason> = new Set(['public', 'organization-private', 'restricted']);

/** The nearest place with a type of its own sets it, else the API key's default. */
function accessTypeFrom(accessType: AccessType, path: readonly PathRow[]): FoundAccessType {
  const place = path.find(({ type }) => type !== null);
  if (place === undefined) return { found: 'access-type', accessType, from: 'key default' };
  if (resourceKindName(place.kind) === 'folder')
    return { found: 'access-type', accessType, from: 'folder', folderId: place.id };
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
