import { lockOrganization } from '../organizations/resolve-organization.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { lockUsers, notDeleted, type LockedUsers } from '../users/lock-users.ts';
import { row } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { gatePassed, passGates } from './flip-gate.ts';
import { lockDocument, visibleDocument } from './resolve-document.ts';

/** Where a write goes and whom it names, as the caller wrote them. */
export interface PlaceRequest {
  readonly organizationId: string;
  readonly documentId: string;
  readonly createOrganization: boolean;
  readonly createDocument: boolean;
  readonly userIds: readonly string[];
}

/** The same as statements name them, every row locked FOR KEY SHARE. */
export interface LockedPlace {
  readonly organization: string;
  readonly document: string;
  readonly users: LockedUsers;
}

/** In the usual case, where everything exists, one statement; what is missing is then made, or refused, step by step. */
const lockAll = `
  with o as (select id from organization where api_key_id = $1 and ext_id = $2 for key share),
    gate as materialized (${passGates('id_reservation r where r.org_id = (select id from o) and r.ext_id = $3')}),
    d as (select d.id from document d where ${gatePassed} and d.org_id = (select id from o) and d.ext_id = $3
      and ${visibleDocument} for key share of d),
    u as (select id, ext_id from app_user u where api_key_id = $1 and ext_id = any($4) and ${notDeleted} order by id for key share of u)
  select (select id from o) as organization, (select id from d) as document,
    (select json_object_agg(ext_id, id::text) from u) as users`;

/**
 * What a write into a document begins with: organization, document and the users that it names, locked. Bare rows are
 * made for users that nobody has named before. The fence of these users is read afterwards, in a statement of its own.
 */
export async function lockPlace(em: EntityManager, tenant: Tenant, wish: PlaceRequest): Promise<LockedPlace> {
  const userIds = [...new Set(wish.userIds)];
  const found = await row<{
    organization: string | null;
    document: string | null;
    users: Record<string, string> | null;
  }>(em, lockAll, [tenant.id, wish.organizationId, wish.documentId, userIds]);
  const organization =
    found?.organization ??
    (await lockOrganization(em, tenant, wish.organizationId, wish.createOrganization)).id;
  const document =
    found?.document ??
    (await lockDocument(em, tenant.id, { id: organization }, wish.documentId, wish.createDocument)).id;
  const users = new Map(Object.entries(found?.users ?? {}));
  return {
    organization,
    document,
    users: users.size === userIds.length ? users : await lockUsers(em, tenant, userIds),
  };
}
