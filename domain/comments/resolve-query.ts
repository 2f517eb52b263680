import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { isVisible } from '../documents/resolve-document.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import type { Tenant } from '../tenancy/tenant.ts';

const KeyRow = z.strictObject({ id: z.string(), ext_id: z.string() });

/** Finds surrogate keys of users by the customer's ids. Omits unknown ids. */
export async function userKeys(
  em: EntityManager,
  tenant: Tenant,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (userIds.length === 0) return new Map();
  const found = await rowsOf(
    em,
    KeyRow,
    sql`select id, ext_id from app_user where api_key_id = ${tenant.id} and ext_id = any(${userIds}::text[])`,
  );
  return new Map(found.map(({ id, ext_id }) => [ext_id, id]));
}

/** Finds surrogate keys of visible documents by the customer's ids. Omits unknown ids. */
export async function documentKeys(
  em: EntityManager,
  organization: ResolvedOrganization,
  documentIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await rowsOf(
    em,
    KeyRow,
    sql`select d.id, d.ext_id from document d
      where d.org_id = ${organization.id} and d.ext_id = any(${documentIds}::text[]) and ${isVisible}`,
  );
  return new Map(found.map(({ id, ext_id }) => [ext_id, id]));
}

const DocumentRow = z.strictObject({ id: z.string() });

/** Max documents of a folder whose threads are merged by index. */
const maxMerged = 100;

/** Lists the documents directly in a folder, or outside folders for null. Undefined for more than 100. */
export async function documentsIn(
  em: EntityManager,
  organization: ResolvedOrganization,
  folder: string | null,
): Promise<readonly string[] | undefined> {
  const inFolder =
    folder === null
      ? sql`d.org_id = ${organization.id} and d.folder_id is null`
      : sql`d.folder_id = ${folder}::bigint`;
  const found = await rowsOf(
    em,
    DocumentRow,
    sql`select d.id from document d where ${inFolder} and d.ext_id is not null order by d.ext_id limit ${sql.lit(maxMerged + 1)}`,
  );
  return found.length > maxMerged ? undefined : found.map(({ id }) => id);
}
