import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { anyOf, rowsOf } from '../../platform/database/statements.ts';
import { done, failed, outcomes, type Outcomes } from '../batch.ts';
import { createAndLock } from '../create-and-lock.ts';
import { messages } from '../messages.ts';
import { judgedMetadata, metadataPatch, metadataTooLarge, type Metadata } from '../metadata.ts';
import { indexMetadata, peopleInMetadata, peopleOfExisting } from '../users/people-in-metadata.ts';
import { lockPeople, refuseFencedPeople } from '../users/lock-named.ts';
import type { LockedUsers } from '../users/lock-users.ts';
import type { NamedPeople } from '../users/named-users.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { countUsage } from '../tenancy/usage.ts';

export interface OrganizationInput {
  readonly organizationId: string;
  readonly organizationName?: string | undefined;
  readonly metadata: Metadata;
}

/** SQL: a batch as a table `sent`, so that one statement writes any number of records. */
function sent(organizations: readonly OrganizationInput[]) {
  const patches = organizations.map(({ metadata }) => metadataPatch(metadata));
  return sql`unnest(${organizations.map(({ organizationId }) => organizationId)}::text[],
    ${organizations.map(({ organizationName }) => organizationName ?? null)}::text[],
    ${patches.map(({ set }) => set)}::jsonb[],
    -- One text per record: unnest would flatten an array of arrays.
    ${patches.map(({ remove }) => JSON.stringify(remove))}::jsonb[]) as sent (ext_id, name, set, removed)`;
}

/**
 * Adds organizations and updates existing ones. Writes rows in id order, so that concurrent batches do not deadlock. Adds
 * again what a deletion takes before the update.
 */
export async function addOrganizations(
  em: EntityManager,
  tenant: Tenant,
  organizations: readonly OrganizationInput[],
): Promise<Outcomes> {
  const admitted = await lockUsersInMetadata(em, tenant, organizations, { create: true });
  let missing = organizations;
  const tooLarge = new Set<string>();
  await createAndLock(
    async () => {
      const added = await insert(em, tenant, missing);
      missing = missing.filter(({ organizationId }) => !added.has(organizationId));
    },
    async () => {
      if (missing.length === 0) return true;
      const found = await update(em, tenant, missing);
      await refuseFencedInOthers(em, tenant, admitted, found.written);
      for (const id of found.tooLarge) tooLarge.add(id);
      missing = missing.filter(({ organizationId: id }) => !found.written.has(id) && !tooLarge.has(id));
      return missing.length === 0 ? true : undefined;
    },
  );
  return new Map(
    organizations.map(({ organizationId }) => [
      organizationId,
      tooLarge.has(organizationId) ? metadataTooLarge() : done('Added Successfully'),
    ]),
  );
}

/** Inserts those that do not exist. Returns their surrogate keys by the customer's ids. */
async function insert(
  em: EntityManager,
  tenant: Tenant,
  organizations: readonly OrganizationInput[],
): Promise<ReadonlyMap<string, string>> {
  const added = await rowsOf(
    em,
    WrittenRow,
    sql`insert into organization (api_key_id, ext_id, name, metadata)
      select ${tenant.id}, ext_id, coalesce(name, ext_id), set from ${sent(organizations)} order by ext_id collate "C"
      on conflict (api_key_id, ext_id) do nothing returning id, ext_id`,
  );
  countUsage(em, tenant.id, 'organizations', added.length);
  return indexWritten(em, tenant, organizations, added);
}

export async function updateOrganizations(
  em: EntityManager,
  tenant: Tenant,
  organizations: readonly OrganizationInput[],
): Promise<Outcomes> {
  const admitted = await lockUsersInMetadata(em, tenant, organizations, { create: false });
  const existing =
    admitted && organizations.filter(({ organizationId }) => admitted.known.has(organizationId));
  const { written, tooLarge } = await update(em, tenant, existing ?? organizations);
  await refuseFencedInOthers(em, tenant, admitted, written);
  return outcomes(
    organizations.map(({ organizationId }) => organizationId),
    new Set(written.keys()),
    {
      ok: () => done('Updated Successfully'),
      otherwise: (id) =>
        tooLarge.has(id) ? metadataTooLarge() : failed('not-found', messages.organizationMissing),
    },
  );
}

/**
 * Existing organizations by the customer's ids, with surrogate keys of written ones. `tooLarge`: nothing was changed,
 * because their metadata would be too large.
 */
interface Update {
  readonly written: ReadonlyMap<string, string>;
  readonly tooLarge: ReadonlySet<string>;
}

async function update(
  em: EntityManager,
  tenant: Tenant,
  organizations: readonly OrganizationInput[],
): Promise<Update> {
  const judged = await rowsOf(
    em,
    JudgedRow,
    sql`with locked as (
        select o.id, o.metadata as stored, sent.* from organization o join ${sent(organizations)} on sent.ext_id = o.ext_id
        where o.api_key_id = ${tenant.id} and o.ext_id = any(${organizations.map(({ organizationId }) => organizationId)})
        order by o.ext_id for no key update of o),
      judged as materialized ${judgedMetadata(sql`locked`)},
      written as (
        update organization o set name = coalesce(j.name, o.name), updated_at = now(), metadata = j.metadata
        from judged j where o.id = j.id and j.fits)
      select id, ext_id, fits from judged`,
  );
  const written = await indexWritten(
    em,
    tenant,
    organizations,
    judged.filter(({ fits }) => fits),
  );
  const tooLarge = judged.flatMap(({ ext_id, fits }) => (fits ? [] : [ext_id]));
  return { written, tooLarge: new Set(tooLarge) };
}

const WrittenRow = z.strictObject({ id: z.string(), ext_id: z.string() });
const JudgedRow = WrittenRow.extend({ fits: z.boolean() });

/** Indexes names in the metadata of written organizations. Returns their surrogate keys by the customer's ids. */
async function indexWritten(
  em: EntityManager,
  tenant: Tenant,
  organizations: readonly OrganizationInput[],
  written: readonly Readonly<z.infer<typeof WrittenRow>>[],
): Promise<ReadonlyMap<string, string>> {
  const ids = new Map(written.map(({ id, ext_id }) => [ext_id, id]));
  await indexMetadata(em, tenant, 'organization', organizations, ({ organizationId }) =>
    ids.get(organizationId),
  );
  return ids;
}

/** Locked users of metadata, and the organizations, by the customer's ids, in which their write fences were read. */
interface AdmittedPeople {
  readonly known: ReadonlyMap<string, string>;
  readonly people: NamedPeople | undefined;
  readonly users: LockedUsers;
}

/**
 * Locks the users named in metadata; with `create: false`, in that of existing organizations. Returns undefined when no
 * user is named. The organizations are not locked: `refuseFencedInOthers` follows each write of existing ones.
 */
async function lockUsersInMetadata(
  em: EntityManager,
  tenant: Tenant,
  organizations: readonly OrganizationInput[],
  { create }: { readonly create: boolean },
): Promise<AdmittedPeople | undefined> {
  const named = peopleInMetadata(organizations);
  if (named === undefined) return undefined;
  const rows = await tablesOf(em)
    .selectFrom('organization')
    .select(['id', 'ext_id'])
    .$narrowType<{ ext_id: string }>()
    .where('api_key_id', '=', tenant.id)
    .where('ext_id', '=', anyOf(organizations.map(({ organizationId }) => organizationId)))
    .execute();
  const known = new Map(rows.map(({ id, ext_id }) => [ext_id, id]));
  const people = peopleOfExisting(
    organizations,
    named,
    ({ organizationId }) => create || known.has(organizationId),
  );
  const users = people && (await lockPeople(em, tenant, people, [...known.values()]));
  return { known, people, users: users ?? new Map() };
}

/**
 * Rejects the call if people are fenced in a written organization that another call has created since their write fences
 * were read. One that this call creates is in no deletion.
 */
async function refuseFencedInOthers(
  em: EntityManager,
  tenant: Tenant,
  admitted: AdmittedPeople | undefined,
  written: ReadonlyMap<string, string>,
): Promise<void> {
  if (admitted?.people === undefined) return;
  const others = [...written].filter(([extId, id]) => admitted.known.get(extId) !== id).map(([, id]) => id);
  if (others.length > 0) await refuseFencedPeople(em, tenant, admitted.users, admitted.people, others);
}
