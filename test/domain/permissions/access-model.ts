import type { Resource } from '../../../domain/permissions/resource.ts';
import type { Verdict } from '../../../domain/permissions/verdict.ts';
import type { AccessRole } from '../../../domain/tenancy/access-roles.ts';
import type { AccessType } from '../../../domain/tenancy/tenant.ts';

/* The rule of effective access, written for clarity instead of speed. Shares no code with the product. */

export interface ModelFolder {
  readonly id: string;
  readonly parent: ModelFolder | null;
  readonly accessType: AccessType | null;
  readonly deleted: boolean;
}

export interface ModelDocument {
  readonly id: string;
  readonly folder: ModelFolder | null;
  readonly accessType: AccessType | null;
  readonly disabled: boolean;
}

/** The access of one user to one resource: a membership, a grant, or both. */
export interface Holding {
  readonly user: string;
  readonly resource: ModelFolder | ModelDocument | 'organization';
  readonly isMember: boolean;
  readonly memberRole: AccessRole | null;
  readonly grantRole: AccessRole | null;
  /** Unix time in seconds. */
  readonly grantExpiresAt: number | null;
}

/** One organization. */
export interface ModelWorld {
  readonly organizationId: string;
  readonly disabled: boolean;
  readonly folders: readonly ModelFolder[];
  readonly documents: readonly ModelDocument[];
  readonly holdings: readonly Holding[];
}

export interface ModelDefaults {
  readonly document: AccessType;
  readonly folder: AccessType;
}

type Held = { readonly by: 'grant' | 'membership'; readonly role: AccessRole; readonly until: number | null };

const no = (reason: Verdict['reason']): Verdict => ({
  hasAccess: false,
  accessRole: null,
  expiresAt: null,
  reason,
});

const yes = (reason: Verdict['reason'], held: Held | undefined): Verdict => ({
  hasAccess: true,
  accessRole: held?.role ?? 'editor',
  expiresAt: held?.until ?? null,
  reason,
});

const isGone = (folder: ModelFolder | null): boolean =>
  folder !== null && (folder.deleted || isGone(folder.parent));

/** Returns the effective access. `seconds` is the Unix time of the check. */
export function judge(
  world: ModelWorld,
  user: string,
  resource: Resource,
  { seconds, defaults }: { readonly seconds: number; readonly defaults: ModelDefaults },
): Verdict {
  const heldOn = (resource: Holding['resource']): Held | undefined => {
    const holding = world.holdings.find((one) => one.user === user && one.resource === resource);
    if (holding === undefined) return undefined;
    const { grantRole, grantExpiresAt, isMember, memberRole } = holding;
    if (grantRole !== null && (grantExpiresAt === null || grantExpiresAt > seconds)) {
      return { by: 'grant', role: grantRole, until: grantExpiresAt };
    }
    return isMember ? { by: 'membership', role: memberRole ?? 'editor', until: null } : undefined;
  };
  if (resource.type === 'organization') {
    if (world.disabled) return no('organization-disabled');
    const held = heldOn('organization');
    return held === undefined ? no('organization-private') : yes(held.by, held);
  }
  const document =
    resource.type === 'document' ? world.documents.find(({ id }) => id === resource.id) : undefined;
  let folder = document === undefined ? world.folders.find(({ id }) => id === resource.id) : document.folder;
  if (resource.type === 'folder' && (folder === undefined || isGone(folder ?? null))) return no('not-found');
  if (resource.type === 'document' && (document === undefined || isGone(document.folder)))
    return no('not-found');
  if (world.disabled) return no('organization-disabled');
  if (document?.disabled === true) return no('document-disabled');

  let type = document?.accessType ?? null;
  let nearest = document === undefined ? undefined : heldOn(document);
  for (; folder; folder = folder.parent) {
    nearest ??= heldOn(folder);
    type ??= folder.accessType;
  }
  if (nearest !== undefined) return yes(nearest.by, nearest);
  const inOrganization = heldOn('organization');
  switch (type ?? defaults[resource.type]) {
    case 'public':
      return yes('public', inOrganization);
    case 'organizationPrivate':
      return inOrganization === undefined
        ? no('organization-private')
        : yes('organization-private', inOrganization);
    case 'restricted':
      return no('restricted');
  }
}
