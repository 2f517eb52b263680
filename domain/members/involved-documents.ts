import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { isVisible } from '../documents/resolve-document.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { resourceKindNumbers } from '../tenancy/resource-kinds.ts';
import type { Tenant } from '../tenancy/tenant.ts';

/** Documents that a user is a member of or has activity logs in. */
export interface Involvement {
  readonly count: number;
  /** The first 1,000 ids in byte order, at most 64 KiB of them. */
  readonly documentIds: readonly string[];
}

/** Max bytes of the ids of one user: a call names up to 30 users, and holds their ids until its end. */
const maxIdBytes = 65_536;

const InvolvedRow = z.strictObject({
  ext_id: z.string(),
  count: z.number(),
  documents: z.array(z.string()).nullable(),
});

/**
 * Returns involvement by user id. Exact: reads every membership and activity log of these users in the organization, so
 * that the time limit of the statement is its only bound.
 */
export async function involvedDocuments(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, Involvement>> {
  const found = await rowsOf(
    em,
    InvolvedRow,
    sql`select u.ext_id, i.count, i.documents from app_user u cross join lateral (
       select count(*)::integer as count,
         array_agg(w.ext_id order by w.ext_id) filter (where w.nth <= 1000 and w.bytes <= ${maxIdBytes}) as documents
       from (
         select d.ext_id, row_number() over (order by d.ext_id) as nth,
           sum(octet_length(d.ext_id)) over (order by d.ext_id) as bytes
       from (
         select resource_id as id from access
         where user_id = u.id and user_ext = u.ext_id and kind = ${sql.lit(resourceKindNumbers.document)}
           and org_id = ${organization.id} and is_member
         union select document_id from activity where actor_id = u.id and org_id = ${organization.id}) involved
       join document d on d.id = involved.id
       where d.deleted_at is null and ${isVisible}) w) i
     where u.api_key_id = ${tenant.id} and u.ext_id = any(${userIds})`,
  );
  return new Map(
    found.map(({ ext_id, count, documents }) => [ext_id, { count, documentIds: documents ?? [] }]),
  );
}
