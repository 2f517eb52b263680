import { invalidArgument, type Issue } from '../errors.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { lockResources, type LockedResource } from './lock-resources.ts';
import { makeResources, movedOrReserved, type CreateFlags } from './make-resources.ts';
import { resourceKey, type Resource } from './resource.ts';

/** A resource and where it stood in the request, for whoever has to name it in a refusal. */
export type PositionedResource = Resource & { readonly place: number };

export type Known<Item extends Resource> = Item & { readonly row: LockedResource };

/**
 * The resources of a call, locked, in their order. Makes what the flags allow; one that then is still missing refuses
 * the whole call with INVALID_ARGUMENT that names every such one.
 */
export async function knownResources<Item extends PositionedResource>(
  em: EntityManager,
  tenant: Tenant,
  resources: readonly Item[],
  flags?: CreateFlags,
): Promise<Known<Item>[]> {
  let locked = await lockResources(em, tenant, resources);
  const missing = resources.filter((resource) => !locked.has(resourceKey(resource)));
  if (missing.length > 0 && flags !== undefined && Object.values(flags).includes(true)) {
    await makeResources(em, tenant, missing, flags);
    locked = await lockResources(em, tenant, resources);
  }
  const known = resources.flatMap((resource) => {
    const row = locked.get(resourceKey(resource));
    return row === undefined ? [] : [{ ...resource, row }];
  });
  if (known.length === resources.length) return known;
  throw await unknown(
    em,
    tenant,
    resources.filter((resource) => !locked.has(resourceKey(resource))),
  );
}

async function unknown(
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
