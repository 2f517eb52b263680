import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { onlyRowOf } from '../../platform/database/statements.ts';
import { isOpen } from '../closed-rows.ts';
import { aborted } from '../errors.ts';
import { lockOrganization } from '../organizations/resolve-organization.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { refusingFencedFirst } from '../users/refusing-fenced-first.ts';
import { lockingUsers, lockUsers, type LockedUsers } from '../users/lock-users.ts';
import { sharingNames } from '../users/lock-named.ts';
import { gatePassed, passGates } from './flip-gate.ts';
import { isVisible, lockDocument } from './resolve-document.ts';

/** The document a write goes to and the users it names, by the customer's ids. */
export interface LocationRequest {
  readonly organizationId: string;
  readonly documentId: string;
  /** The operation's flags; undefined if it has none. True creates what is missing. */
  readonly createOrganization?: boolean | undefined;
  readonly createDocument?: boolean | undefined;
  readonly userIds: readonly string[];
  /** The write has JSON keys that may be user ids: takes the lock of `shareNames`. */
  readonly sharesNames?: boolean | undefined;
}

/** The surrogate keys of a `LocationRequest`. Every row is locked FOR KEY SHARE. */
export interface LockedLocation {
  readonly organization: string;
  readonly document: string;
  readonly users: LockedUsers;
}

/** Locks everything that exists in one statement. The caller creates or rejects what is missing. */
const lockAll = (
  { id }: Tenant,
  { organizationId, documentId, sharesNames = false }: LocationRequest,
  userIds: readonly string[],
) => sql`
  with o as (select id from organization where api_key_id = ${id} and ext_id = ${organizationId}
      and ${isOpen('organization')} for key share),
    gate as materialized (
      ${passGates(sql`id_reservation r`)} where r.org_id = (select id from o) and r.ext_id = ${documentId}),
    d as (select d.id from document d where ${gatePassed} and d.org_id = (select id from o) and d.ext_id = ${documentId}
      and ${isVisible} and ${isOpen('d')} for key share of d),
    u as (${lockingUsers(id, userIds)})
  select (select id from o) as organization, (select id from d) as document,
    (select json_object_agg(ext_id, id::text) from u) as users, case when ${sharesNames} then ${sharingNames(id)} end as shared`;

const Ids = z.record(z.string(), z.string()).nullable();

const LocationRow = z.strictObject({
  organization: z.string().nullable(),
  document: z.string().nullable(),
  users: Ids,
  shared: z.string().nullable(),
});

/** Locks several locations in one statement and omits what is missing. Every plan finds each row by an index. */
const lockSeveral = (
  { id }: Tenant,
  locations: readonly (readonly [organization: string, document: string])[],
  { userIds, sharesNames }: { readonly userIds: readonly string[]; readonly sharesNames: boolean },
) => sql`
  with requested as (
      select * from unnest(${locations.map(([of]) => of)}::text[], ${locations.map(([, document]) => document)}::text[])
        as w (organization, document)),
    o as (select id, ext_id from organization where api_key_id = ${id} and ext_id = any(${locations.map(([of]) => of)})
      and ${isOpen('organization')} order by id for key share),
    location as materialized (select o.id as organization, w.document from requested w join o on o.ext_id = w.organization),
    gate as materialized (
      ${passGates(sql`location p join id_reservation r on r.org_id = p.organization and r.ext_id = p.document`)}),
    d as (select found.* from location p cross join lateral (
      select d.id, d.org_id, d.ext_id from document d
      where ${gatePassed} and d.org_id = p.organization and d.ext_id = p.document and ${isVisible} and ${isOpen('d')}
      for key share of d) found),
    u as (${lockingUsers(id, userIds)})
  select (select json_object_agg(ext_id, id::text) from o) as organizations,
    (select json_agg(json_build_array(org_id::text, ext_id, id::text)) from d) as documents,
    (select json_object_agg(ext_id, id::text) from u) as users, case when ${sharesNames} then ${sharingNames(id)} end as shared`;

const LocationsRow = z.strictObject({
  organizations: Ids,
  documents: z.array(z.tuple([z.string(), z.string(), z.string()])).nullable(),
  users: Ids,
  shared: z.string().nullable(),
});

/** What a statement has locked, or the function that creates the missing rows, or throws. */
type Found<Locked> = { readonly locked: Locked } | { readonly create: () => Promise<Locked> };

/**
 * Like `lockLocation`, for several calls, and returns the result of `read` under these locks. `read` sends its
 * statements after the locking one, and runs again if rows had to be created. Throws ABORTED when calls name different
 * documents and one is missing: the caller then locks each by itself. Every location returns the users of all calls.
 */
export async function lockLocationsAndRead<Read>(
  em: EntityManager,
  tenant: Tenant,
  requests: readonly LocationRequest[],
  read: () => Promise<Read>,
): Promise<{ readonly locations: readonly LockedLocation[]; readonly read: Read }> {
  const [found, early] = await Promise.all([findLocations(em, tenant, requests), read()]);
  if ('locked' in found) return { locations: found.locked, read: early };
  const locations = await found.create();
  return { locations, read: await read() };
}

async function findLocations(
  em: EntityManager,
  tenant: Tenant,
  requests: readonly LocationRequest[],
): Promise<Found<readonly LockedLocation[]>> {
  const distinct = new Map(
    requests.map(({ organizationId, documentId }) => [
      locationKey(organizationId, documentId),
      [organizationId, documentId] as const,
    ]),
  );
  const userIds = [...new Set(requests.flatMap((request) => request.userIds))];
  const sharesNames = requests.some((request) => request.sharesNames === true);
  const [first] = requests;
  if (first === undefined) return { locked: [] };
  if (distinct.size > 1) return findSeveral(em, tenant, requests, { distinct, userIds, sharesNames });
  const found = await findLocation(em, tenant, { ...first, userIds, sharesNames });
  if ('locked' in found) return { locked: requests.map(() => found.locked) };
  return {
    create: async () => {
      const location = await found.create();
      return requests.map(() => location);
    },
  };
}

async function findSeveral(
  em: EntityManager,
  tenant: Tenant,
  requests: readonly LocationRequest[],
  {
    distinct,
    userIds,
    sharesNames,
  }: {
    /** By `locationKey`. */
    readonly distinct: ReadonlyMap<string, readonly [organizationId: string, documentId: string]>;
    readonly userIds: readonly string[];
    readonly sharesNames: boolean;
  },
): Promise<Found<readonly LockedLocation[]>> {
  // A fixed order keeps concurrent calls from deadlocking.
  const locations = [...distinct]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, location]) => location);
  const found = await onlyRowOf(em, LocationsRow, lockSeveral(tenant, locations, { userIds, sharesNames }));
  const organizations = new Map(Object.entries(found.organizations ?? {}));
  const documents = new Map(
    (found.documents ?? []).map(([of, id, document]) => [locationKey(of, id), document]),
  );
  const locationsFor = (users: LockedUsers): LockedLocation[] =>
    requests.map(({ organizationId, documentId }) => {
      const organization = organizations.get(organizationId);
      const document = organization && documents.get(locationKey(organization, documentId));
      if (organization === undefined || document === undefined) throw aborted();
      return { organization, document, users };
    });
  const named = new Map(Object.entries(found.users ?? {}));
  if (named.size === userIds.length) return { locked: locationsFor(named) };
  return { create: async () => locationsFor(await lockUsers(em, tenant, userIds)) };
}

const locationKey = (organization: string, document: string): string =>
  JSON.stringify([organization, document]);

/**
 * Locks the organization, the document and the users that a write names; every write into a document calls this first.
 * Creates bare rows for unknown users. The caller reads the write fence afterwards, in a separate statement.
 */
export async function lockLocation(
  em: EntityManager,
  tenant: Tenant,
  request: LocationRequest,
): Promise<LockedLocation> {
  const found = await findLocation(em, tenant, request);
  return 'locked' in found ? found.locked : found.create();
}

async function findLocation(
  em: EntityManager,
  tenant: Tenant,
  request: LocationRequest,
): Promise<Found<LockedLocation>> {
  const userIds = [...new Set(request.userIds)];
  const found = await onlyRowOf(em, LocationRow, lockAll(tenant, request, userIds));
  const { organization: known, document } = found;
  const users = new Map(Object.entries(found.users ?? {}));
  const named = users.size === userIds.length;
  if (known !== null && document !== null && named)
    return { locked: { organization: known, document, users } };
  return {
    create: async () =>
      refusingFencedFirst(em, tenant, { ...request, userIds }, async () => {
        const organization =
          known ??
          (await lockOrganization(em, tenant, request.organizationId, request.createOrganization)).id;
        return {
          organization,
          document:
            document ??
            (await lockDocument(em, tenant, { id: organization }, request.documentId, request.createDocument))
              .id,
          users: named ? users : await lockUsers(em, tenant, userIds),
        };
      }),
  };
}
