import { invalidArgument, type Issue } from '../errors.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { lockResources, type LockedResource } from './lock-resources.ts';
import { createResources, movedOrReserved, type CreateFlags } from './create-resources.ts';
import { resourceKey, type Resource } from './resource.ts';

/** A resource and where it stood in the request, for whoever has to name it in a refusal. */
export type PositionedResource = Resource & { readonly place: number };

export type ResolvedResource<Item extends Resource> = Item & { readonly row: LockedResource };

/**
 * The resources of a call, locked, in their order. Makes what the flags allow; one that then is still missing refuses
 * the whole call with INVALID_ARGUMENT that names every such one.
 */
export async function resolveResources<Item extends PositionedResource>(
  em: EntityManager,
  tenant: Tenant,
  resources: readonly Item[],
  flags?: CreateFlags,
): Promise<ResolvedResource<Item>[]> {
  let locked = await lockResources(em, tenant, resources);
  const missing = resources.filter((resource) => !locked.has(resourceKey(resource)));
  if (missing.length > 0 && flags !== undefined && Object.values(flags).includes(true)) {
    await createResources(em, tenant, missing, flags);
    locked = await lockResources(em, tenant, resources);
  }
  const known = resources.flatMap((resource) => {
    const row = locked.get(resourceKey(resource));
    return row === undefined ? [] : [{ ...resource, row }];
  });
  if (known.length === resources.length) return known;
  throw await unresolved(
    em,
    tenant,
    resources.filter((resource) => !locked.has(resourceKey(resource))),
  );
}

async function unresolved(
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
  const issues = missing.map(({ place }): Issue => {
    const member = `permissions.resources[${String(place)}].id`;
    return { path: member, message: `${member} does not exist.` };
  });
  const resources = missing.map(({ place: _place, type, id, organizationId }) => {
    const movedTo = moved.get(resourceKey({ type, id, organizationId })) ?? undefined;
    return { type, id, organizationId, ...(movedTo !== undefined && { movedTo }) };
  });
  const [first, ...others] = issues;
  if (first === undefined) throw new Error('Nothing is missing.');
  return invalidArgument([first, ...others], { resources });
}
