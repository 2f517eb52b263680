import { sql } from 'kysely';
import { z } from 'zod';
import { DomainError } from '../errors.ts';
import { messages } from '../messages.ts';
import { lockOrganization } from '../organizations/resolve-organization.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { lockingUsers, lockUsers, type LockedUsers } from '../users/lock-users.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowOf } from '../../platform/database/statements.ts';
import { sharingNames } from '../users/lock-named.ts';
import { gatePassed, passGates } from './flip-gate.ts';
import { isVisible, lockDocument } from './resolve-document.ts';

/** Where a write goes and whom it names, as the caller wrote them. */
export interface LocationRequest {
  readonly organizationId: string;
  readonly documentId: string;
  readonly createOrganization: boolean;
  readonly createDocument: boolean;
  readonly userIds: readonly string[];
  /** It has keys that may be people: shares the lock of `shareNames`. */
  readonly sharesNames?: boolean | undefined;
}

/** The same as statements name them, every row locked FOR KEY SHARE. */
export interface LockedLocation {
  readonly organization: string;
  readonly document: string;
  readonly users: LockedUsers;
}

/** In the usual case, where everything exists, one statement; what is missing is then made, or refused, step by step. */
const lockAll = (
  { id }: Tenant,
  { organizationId, documentId, sharesNames = false }: LocationRequest,
  userIds: readonly string[],
) => sql`
  with o as (select id from organization where api_key_id = ${id} and ext_id = ${organizationId} for key share),
    gate as materialized (
      ${passGates(sql`id_reservation r`)} where r.org_id = (select id from o) and r.ext_id = ${documentId}),
    d as (select d.id from document d where ${gatePassed} and d.org_id = (select id from o) and d.ext_id = ${documentId}
      and ${isVisible} for key share of d),
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

/** The usual case for several places: whatever is missing is not answered. Each row is found by an index, whatever the plan. */
const lockSeveral = (
  { id }: Tenant,
  places: readonly (readonly [organization: string, document: string])[],
  { userIds, sharesNames }: { readonly userIds: readonly string[]; readonly sharesNames: boolean },
) => sql`
  with wished as (
      select * from unnest(${places.map(([of]) => of)}::text[], ${places.map(([, document]) => document)}::text[])
        as w (organization, document)),
    o as (select id, ext_id from organization where api_key_id = ${id} and ext_id = any(${places.map(([of]) => of)})
      order by id for key share),
    place as materialized (select o.id as organization, w.document from wished w join o on o.ext_id = w.organization),
    gate as materialized (
      ${passGates(sql`place p join id_reservation r on r.org_id = p.organization and r.ext_id = p.document`)}),
    d as (select found.* from place p cross join lateral (
      select d.id, d.org_id, d.ext_id from document d
      where ${gatePassed} and d.org_id = p.organization and d.ext_id = p.document and ${isVisible} for key share of d) found),
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

/** What was found of the places of several calls: all of it locked, or what makes the rest. */
type Found =
  | { readonly places: readonly LockedLocation[] }
  | { readonly make: () => Promise<readonly LockedLocation[]> };

/**
 * `lockLocation` for several calls at once, and what `read` answers under these locks: usually in one way to the database and
 * back, as `read` is sent along; it is sent again where something had to be made first. Calls for different documents must
 * find them there, else it throws, and each has to be locked by itself. All of them are answered all users.
 */
export async function lockLocationsAndRead<Read>(
  em: EntityManager,
  tenant: Tenant,
  requests: readonly LocationRequest[],
  read: () => Promise<Read>,
): Promise<{ readonly places: readonly LockedLocation[]; readonly read: Read }> {
  const [found, early] = await Promise.all([findLocations(em, tenant, requests), read()]);
  if ('places' in found) return { places: found.places, read: early };
  const places = await found.make();
  return { places, read: await read() };
}

async function findLocations(
  em: EntityManager,
  tenant: Tenant,
  requests: readonly LocationRequest[],
): Promise<Found> {
  // In one order, so that of two calls neither waits for the other in a ring.
  const keys = [
    ...new Set(requests.map((request) => locationKey(request.organizationId, request.documentId))),
  ].sort();
  const userIds = [...new Set(requests.flatMap((request) => request.userIds))];
  const sharesNames = requests.some((request) => request.sharesNames === true);
  const [first] = requests;
  if (first === undefined) return { places: [] };
  if (keys.length > 1) return findSeveral(em, tenant, requests, { keys, userIds, sharesNames });
  const found = await findLocation(em, tenant, { ...first, userIds, sharesNames });
  if (found.missing === undefined) return { places: requests.map(() => found.place) };
  const { missing } = found;
  return {
    make: async () => {
      const place = await missing();
      return requests.map(() => place);
    },
  };
}

async function findSeveral(
  em: EntityManager,
  tenant: Tenant,
  requests: readonly LocationRequest[],
  {
    keys,
    userIds,
    sharesNames,
  }: { readonly keys: readonly string[]; readonly userIds: readonly string[]; readonly sharesNames: boolean },
): Promise<Found> {
  const places = keys.map((key) => JSON.parse(key) as [string, string]);
  const found = await rowOf(em, LocationsRow, lockSeveral(tenant, places, { userIds, sharesNames }));
  const organizations = new Map(Object.entries(found?.organizations ?? {}));
  const documents = new Map(
    (found?.documents ?? []).map(([of, id, document]) => [locationKey(of, id), document]),
  );
  const locationsFor = (users: LockedUsers): LockedLocation[] =>
    requests.map(({ organizationId, documentId }) => {
      const organization = organizations.get(organizationId);
      const document = organization && documents.get(locationKey(organization, documentId));
      if (organization === undefined || document === undefined)
        throw new DomainError('ABORTED', messages.aborted);
      return { organization, document, users };
    });
  const named = new Map(Object.entries(found?.users ?? {}));
  if (named.size === userIds.length) return { places: locationsFor(named) };
  return { make: async () => locationsFor(await lockUsers(em, tenant, userIds)) };
}

const locationKey = (organization: string, document: string): string =>
  JSON.stringify([organization, document]);

/**
 * What a write into a document begins with: organization, document and the users that it names, locked. Bare rows are
 * made for users that nobody has named before. The fence of these users is read afterwards, in a statement of its own.
 */
export async function lockLocation(
  em: EntityManager,
  tenant: Tenant,
  request: LocationRequest,
): Promise<LockedLocation> {
  const found = await findLocation(em, tenant, request);
  return found.missing === undefined ? found.place : found.missing();
}

type FoundLocation =
  | { readonly place: LockedLocation; readonly missing?: undefined }
  /** Makes what is not there, or refuses. */
  | { readonly missing: () => Promise<LockedLocation> };

async function findLocation(
  em: EntityManager,
  tenant: Tenant,
  request: LocationRequest,
): Promise<FoundLocation> {
  const userIds = [...new Set(request.userIds)];
  const found = await rowOf(em, LocationRow, lockAll(tenant, request, userIds));
  const { organization: known = null, document = null } = found ?? {};
  const users = new Map(Object.entries(found?.users ?? {}));
  const named = users.size === userIds.length;
  if (known !== null && document !== null && named)
    return { place: { organization: known, document, users } };
  return {
    missing: async () => {
      const organization =
        known ?? (await lockOrganization(em, tenant, request.organizationId, request.createOrganization)).id;
      return {
        organization,
        document:
          document ??
          (
            await lockDocument(
              em,
              tenant.id,
              { id: organization },
              request.documentId,
              request.createDocument,
            )
          ).id,
        users: named ? users : await lockUsers(em, tenant, userIds),
      };
    },
  };
}
