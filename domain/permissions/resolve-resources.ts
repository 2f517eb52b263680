import type { EntityManager } from '../../platform/database/orm.ts';
import { invalidArgument, type Issue } from '../errors.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { refuseFencedIn } from '../users/refusing-fenced-first.ts';
import { lockResources, refuseClosedResources, type LockedResource } from './lock-resources.ts';
import { createResources, movedOrReserved, type CreateFlags } from './create-resources.ts';
import { resourceKey, type Resource } from './resource.ts';

/** A resource with its index in the request, for error messages. */
export type PositionedResource = Resource & { readonly position: number };

export type ResolvedResource<Item extends Resource> = Item & { readonly row: LockedResource };

/**
 * Locks the resources of a call and returns them in order. Creates missing ones where the flags allow it, and throws
 * INVALID_ARGUMENT that names every resource still missing, or ABORTED while a deletion waits for writers of one of them.
 * Before that, it throws FAILED_PRECONDITION for a fenced user.
 */
export async function resolveResources<Item extends PositionedResource>(
  em: EntityManager,
  tenant: Tenant,
  userId: string,
  resources: readonly Item[],
  flags?: CreateFlags,
): Promise<ResolvedResource<Item>[]> {
  let locked = await lockResources(em, tenant, resources);
  const missing = resources.filter((resource) => !locked.has(resourceKey(resource)));
  if (missing.length > 0 && flags !== undefined && Object.values(flags).includes(true)) {
    // A deletion that waits for writers may hold a tree of folders, which `createResources` locks.
    await refuseClosedResources(em, tenant, missing);
    await createResources(em, tenant, missing, flags);
    locked = await lockResources(em, tenant, resources);
  }
  const resolved = resources.flatMap((resource) => {
    const row = locked.get(resourceKey(resource));
    return row === undefined ? [] : [{ ...resource, row }];
  });
  if (resolved.length === resources.length) return resolved;
  const unresolved = resources.filter((resource) => !locked.has(resourceKey(resource)));
  await refuseClosedResources(em, tenant, unresolved);
  const organizationId = resources.map((resource) => resource.organizationId);
  await refuseFencedIn(em, tenant, { organizationId, userIds: [userId] });
  throw await missingResources(em, tenant, unresolved);
}

async function missingResources(
  em: EntityManager,
  tenant: Tenant,
  missing: readonly PositionedResource[],
): Promise<Error> {
  const documents = missing.filter(({ type }) => type === 'document');
  const moved = new Map(
    (await movedOrReserved(em, tenant, documents)).map(({ organizationId, documentId, movedTo }) => [
      resourceKey({ type: 'document', id: documentId, organizationId }),
      movedTo,
    ]),
  );
  const issues = missing.map(({ position }): Issue => {
    const member = `permissions.resources[${String(position)}].id`;
    return { path: member, message: `${member} does not exist.` };
  });
  const resources = missing.map(({ position: _position, type, id, organizationId }) => {
    const movedTo = moved.get(resourceKey({ type, id, organizationId })) ?? undefined;
    return { type, id, organizationId, ...(movedTo !== undefined && { movedTo }) };
  });
  const [first, ...others] = issues;
  if (first === undefined) throw new Error('empty list of missing resources');
  return invalidArgument([first, ...others], { resources });
}
