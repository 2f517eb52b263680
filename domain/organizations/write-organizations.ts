import { done, failed, outcomes, type Outcomes } from '../batch.ts';
import { messages } from '../messages.ts';
import { indexMetadata, metadataPatch, peopleInMetadata, type Metadata } from '../metadata.ts';
import { lockPeople } from '../users/lock-named.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';

export interface OrganizationInput {
  readonly organizationId: string;
  readonly organizationName?: string | undefined;
  readonly metadata: Metadata;
}

/** The columns of a batch, for `unnest`: one statement whatever the number of records. */
function columns(organizations: readonly OrganizationInput[]) {
  const patches = organizations.map(({ metadata }) => metadataPatch(metadata));
  return [
    organizations.map(({ organizationId }) => organizationId),
    organizations.map(({ organizationName }) => organizationName ?? null),
    patches.map(({ set }) => set),
    // One text a record: unnest would flatten an array of arrays.
    patches.map(({ remove }) => JSON.stringify(remove)),
  ];
}

const removed = (column: string) => `array(select jsonb_array_elements_text(${column}))`;

/** Adds, or updates those that exist. Rows are written in the order of their ids, so two batches never wait for each other in a ring. */
export async function addOrganizations(
  em: EntityManager,
  tenant: Tenant,
  organizations: readonly OrganizationInput[],
): Promise<Outcomes> {
  await lockWhomTheyName(em, tenant, organizations);
  const added = await rows<WrittenRow>(
    em,
    `insert into organization (api_key_id, ext_id, name, metadata)
     select $1, ext_id, coalesce(name, ext_id), metadata
     from unnest($2::text[], $3::text[], $4::jsonb[]) as sent (ext_id, name, metadata) order by ext_id collate "C"
     on conflict (api_key_id, ext_id) do nothing returning id, ext_id`,
    [tenant.id, ...columns(organizations).slice(0, 3)],
  );
  const addedIds = await indexed(em, tenant, organizations, added);
  const existing = organizations.filter(({ organizationId }) => !addedIds.has(organizationId));
  if (existing.length > 0) await update(em, tenant, existing);
  return new Map(organizations.map(({ organizationId }) => [organizationId, done('Added Successfully')]));
}

export async function updateOrganizations(
  em: EntityManager,
  tenant: Tenant,
  organizations: readonly OrganizationInput[],
): Promise<Outcomes> {
  await lockWhomTheyName(em, tenant, organizations);
  const updated = await update(em, tenant, organizations);
  return outcomes(
    organizations.map(({ organizationId }) => organizationId),
    new Set(updated.keys()),
    { ok: () => done('Updated Successfully'), otherwise: organizationMissing },
  );
}

/** Answers the surrogate keys of those that exist. */
async function update(
  em: EntityManager,
  tenant: Tenant,
  organizations: readonly OrganizationInput[],
): Promise<ReadonlyMap<string, string>> {
  const updated = await rows<WrittenRow>(
    em,
    `with sent as (select * from unnest($2::text[], $3::text[], $4::jsonb[], $5::jsonb[]) as t (ext_id, name, metadata, removed)),
     locked as (select o.id, s.* from organization o join sent s on s.ext_id = o.ext_id
       where o.api_key_id = $1 and o.ext_id = any($2) order by o.ext_id for no key update of o)
     update organization o set name = coalesce(l.name, o.name),
       metadata = (o.metadata || l.metadata) - ${removed('l.removed')}, updated_at = now()
     from locked l where o.id = l.id returning o.id, o.ext_id`,
    [tenant.id, ...columns(organizations)],
  );
  return indexed(em, tenant, organizations, updated);
}

interface WrittenRow {
  readonly id: string;
  readonly ext_id: string;
}

/** Surrogate keys by the customer's id, when the names in their metadata have been indexed. */
async function indexed(
  em: EntityManager,
  tenant: Tenant,
  organizations: readonly OrganizationInput[],
  written: readonly WrittenRow[],
): Promise<ReadonlyMap<string, string>> {
  const ids = new Map(written.map(({ id, ext_id }) => [ext_id, id]));
  await indexMetadata(em, tenant, 'organization', organizations, ({ organizationId }) =>
    ids.get(organizationId),
  );
  return ids;
}

/** One that does not exist yet is in no deletion's list. */
async function lockWhomTheyName(
  em: EntityManager,
  tenant: Tenant,
  organizations: readonly OrganizationInput[],
): Promise<void> {
  const people = peopleInMetadata(organizations);
  if (people === undefined) return;
  const known = await rows<{ id: string }>(
    em,
    'select id from organization where api_key_id = $1 and ext_id = any($2)',
    [tenant.id, organizations.map(({ organizationId }) => organizationId)],
  );
  await lockPeople(
    em,
    tenant,
    people,
    known.map(({ id }) => id),
  );
}

/** While disabled, access checks and token generation say no; administrative calls go on. */
export async function setOrganizationsDisabled(
  em: EntityManager,
  tenant: Tenant,
  {
    organizationIds,
    disabled,
    create,
  }: { organizationIds: readonly string[]; disabled: boolean; create: boolean },
): Promise<Outcomes> {
  if (create) {
    await rows(
      em,
      `insert into organization (api_key_id, ext_id, name, disabled)
       select $1, id, id, $3 from unnest($2::text[]) as t (id) order by id collate "C"
       on conflict (api_key_id, ext_id) do nothing`,
      [tenant.id, organizationIds, disabled],
    );
  }
  const updated = await rows<{ ext_id: string }>(
    em,
    `with locked as (select id from organization where api_key_id = $1 and ext_id = any($2) order by ext_id for no key update)
     update organization o set disabled = $3, updated_at = now() from locked l where o.id = l.id returning o.ext_id`,
    [tenant.id, organizationIds, disabled],
  );
  return outcomes(organizationIds, new Set(updated.map(({ ext_id }) => ext_id)), {
    ok: () => done('Updated disable state for organization Successfully'),
    otherwise: organizationMissing,
  });
}

const organizationMissing = () => failed('not-found', messages.organizationMissing);
