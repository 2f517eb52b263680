import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { isOpen, refuseClosedAmong } from '../closed-rows.ts';
import { passGates } from '../documents/flip-gate.ts';
import { isVisible } from '../documents/resolve-document.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { kinds, resourceKey, resourcesSent, type Resource } from './resource.ts';

/** A locked resource, by surrogate keys. */
export interface LockedResource {
  readonly kind: number;
  readonly resource: string;
  readonly organization: string;
  readonly organization_disabled: boolean;
  readonly document_disabled: boolean;
}

const LockRow = z.strictObject({
  ordinal: z.number(),
  kind: z.number(),
  organization: z.string().nullable(),
  organization_disabled: z.boolean(),
  resource: z.string().nullable(),
  document_disabled: z.boolean(),
});

/** Waits for a migration that is renaming a document; afterwards the old id is not found. */
const lockAll = (tenant: Tenant, resources: readonly Resource[]) => sql`
  with a as materialized (select * from ${resourcesSent(resources)}),
  gate as materialized (
    ${passGates(sql`a`)} join organization o on o.api_key_id = ${tenant.id} and o.ext_id = a.org_ext_id
      join id_reservation r on r.org_id = o.id and r.ext_id = a.ext_id where a.kind = ${kinds.document}),
  o as materialized (
    select o.id, o.ext_id, o.disabled from organization o where o.api_key_id = ${tenant.id}
      and o.ext_id = any(${resources.map(({ organizationId }) => organizationId)}) and ${isOpen('o')}
      order by o.id for key share),
  f as materialized (
    select f.id, a.ordinal from a join o on o.ext_id = a.org_ext_id join folder f on f.org_id = o.id and f.ext_id = a.ext_id
    where a.kind = ${kinds.folder} and ${isOpen('f')} order by f.id for key share of f),
  d as materialized (
    select d.id, d.disabled, a.ordinal from a join o on o.ext_id = a.org_ext_id join document d on d.org_id = o.id and d.ext_id = a.ext_id
    where a.kind = ${kinds.document} and (select count(passed) from gate) >= 0 and ${isVisible} and ${isOpen('d')}
    order by d.id for key share of d)
  select a.ordinal::int as ordinal, a.kind, o.id as organization, coalesce(o.disabled, false) as organization_disabled,
    case a.kind when ${kinds.organization} then case when a.ext_id = a.org_ext_id then o.id end when ${kinds.folder} then f.id else d.id end as resource,
    coalesce(d.disabled, false) as document_disabled
  from a left join o on o.ext_id = a.org_ext_id left join f on f.ordinal = a.ordinal left join d on d.ordinal = a.ordinal`;

/** Locks existing resources FOR KEY SHARE in one statement; returns them by `resourceKey`. */
export async function lockResources(
  em: EntityManager,
  tenant: Tenant,
  resources: readonly Resource[],
): Promise<ReadonlyMap<string, LockedResource>> {
  if (resources.length === 0) return new Map();
  const locked = await rowsOf(em, LockRow, lockAll(tenant, resources));
  return new Map(
    locked.flatMap(({ ordinal, organization, resource, ...row }): [string, LockedResource][] => {
      const requested = resources[ordinal - 1];
      if (requested === undefined || organization === null || resource === null) return [];
      return [[resourceKey(requested), { ...row, organization, resource }]];
    }),
  );
}

/** Throws ABORTED while a deletion waits for writers of one of the resources. For resources that were not locked. */
export async function refuseClosedResources(
  em: EntityManager,
  tenant: Tenant,
  resources: readonly Resource[],
): Promise<void> {
  await refuseClosedAmong(
    em,
    sql`${resourcesSent(resources)} join organization o on o.api_key_id = ${tenant.id} and o.ext_id = a.org_ext_id
      left join folder f on a.kind = ${kinds.folder} and f.org_id = o.id and f.ext_id = a.ext_id
      left join document d on a.kind = ${kinds.document} and d.org_id = o.id and d.ext_id = a.ext_id
      where not (${isOpen('o')} and ${isOpen('f')} and ${isOpen('d')})`,
  );
}
