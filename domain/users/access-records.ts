import type { RecordKind } from '../documents/record-kinds.ts';
import { step, type StepRow } from '../documents/record-step.ts';
import type { PlaceRecords, RemovePlaceRecords } from '../cascade/place-records.ts';
import { resourceKindNumbers } from '../tenancy/resource-kinds.ts';
import { row } from '../../platform/database/sql.ts';

/*
 * Where users and groups hold a person, for deletion and export, each with its index:
 * - access.user_id and the same person's id in user_ext: memberships and grants (by organization access_user_organization,
 *   else the primary key);
 * - user_group_member.user_id and user_ext (user_group_member_user), joined to user_group for the organization;
 * - app_user itself (app_user_ext): id, name, e-mail, and in metadata the rest of the profile and free members.
 */

/** Rows a step. Counting reads an index alone. */
const chunk = { count: 250_000, remove: 5_000 } as const;

const start = ['0', ''];

/** SQL: the next rows of documents along the index over resource and user, as `next`. */
const nextOfDocuments = (limit: number): string => `
  select user_id, resource_id, user_ext from access
  where kind = ${String(resourceKindNumbers.document)} and resource_id = any($1)
    and (resource_id, user_ext) > (($2::text[])[1]::bigint, ($2::text[])[2])
  order by resource_id, user_ext limit ${String(limit)}`;

const lastOf = `(select array[resource_id::text, user_ext] from next order by resource_id desc, user_ext desc limit 1) as last`;

/** Memberships of a document and grants on it, a row a person. */
export const accessRecords: RecordKind = {
  name: 'access',
  async count(em, { documents, after }) {
    const found = await row<StepRow>(
      em,
      `with next as materialized (${nextOfDocuments(chunk.count)})
       select (select count(*)::integer from next) as records, ${lastOf}`,
      [documents, after ?? start],
    );
    return step(found, chunk.count);
  },
  async remove(em, { tenantId, documents, after }) {
    const found = await row<StepRow>(
      em,
      `with next as materialized (${nextOfDocuments(chunk.remove)}),
       gone as (
         delete from access a using next n where a.api_key_id = $3
           and a.user_id = n.user_id and a.user_ext = n.user_ext and a.kind = ${String(resourceKindNumbers.document)} and a.resource_id = n.resource_id)
       select (select count(*)::integer from next) as records, ${lastOf}`,
      [documents, after ?? start, tenantId],
    );
    return step(found, chunk.remove);
  },
};

/** Memberships and grants of folders, and all of an organization, its folders and documents included. */
export const accessOfPlaces: PlaceRecords = {
  folders: removal(`kind = ${String(resourceKindNumbers.folder)} and resource_id = any($1)`),
  organizations: removal('org_id = any($1)'),
};

function removal(condition: string): RemovePlaceRecords {
  return async (em, tenantId, ids) => {
    const found = await row<{ records: number }>(
      em,
      `with next as materialized (
         select user_id, user_ext, kind, resource_id from access where ${condition} limit ${String(chunk.remove)}),
       gone as (
         delete from access a using next n
         where a.api_key_id = $2 and a.user_id = n.user_id and a.user_ext = n.user_ext and a.kind = n.kind and a.resource_id = n.resource_id returning 1)
       select count(*)::integer as records from gone`,
      [ids, tenantId],
    );
    return found?.records ?? 0;
  };
}
