import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { closeHeld, type UpdatedRows } from '../closed-rows.ts';
import { notFound } from '../errors.ts';
import { folderTexts } from '../folders/folder-texts.ts';
import { liveChildren } from '../folders/folder-tree.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import type { Tenant } from '../tenancy/tenant.ts';

/*
 * Each closes the rows that a deletion is about to lock, where writers hold them, and returns those that `closeUpdated`
 * closes after the commit.
 */

/** Unknown ids have no effect. */
export async function closeOrganizations(
  em: EntityManager,
  tenant: Tenant,
  organizationIds: readonly string[],
): Promise<UpdatedRows> {
  const { updated } = await closeHeld(
    em,
    'organization',
    sql`select id from organization where api_key_id = ${tenant.id} and ext_id = any(${organizationIds})`,
  );
  return updated;
}

/** Unknown ids have no effect. */
export async function closeDocuments(
  em: EntityManager,
  organization: ResolvedOrganization,
  documentIds: readonly string[],
): Promise<UpdatedRows> {
  const { updated } = await closeHeld(
    em,
    'document',
    sql`select id from document where org_id = ${organization.id} and ext_id = any(${documentIds})`,
  );
  return updated;
}

/** Closes the folder and those below it. Throws NOT_FOUND for an unknown folder, so that its deletion commits nothing. */
export async function closeFolders(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  folderId: string,
): Promise<UpdatedRows> {
  const { found, updated } = await closeHeld(
    em,
    'folder',
    sql`with recursive below (id) as (
        select id from folder where api_key_id = ${tenant.id} and org_id = ${organization.id} and ext_id = ${folderId}
        union all
        select child.id from below b cross join lateral ${liveChildren(tenant, organization, sql`b.id`)} child)
      select id from below`,
  );
  if (!found) throw notFound(folderTexts.notFound);
  return updated;
}
