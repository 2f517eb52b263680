import { sql } from 'kysely';
import { z } from 'zod';
import { done, failed, outcomes, type Outcomes } from '../batch.ts';
import { messages } from '../messages.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { accessTypeName, accessTypeNumber } from '../tenancy/access-types.ts';
import type { AccessType, Tenant } from '../tenancy/tenant.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { lockFolderTree } from './folder-tree.ts';

/** A type of its own; `inherit`: the parent's from now on; `keep`: what is in force now, whatever the parent does later. */
export type AccessRequest = AccessType | 'inherit' | 'keep';

const UpdatedRow = z.strictObject({ ext_id: z.string(), access_type: z.number().nullable() });

/** What is in force at the top is the key's default. Under the lock of the tree: `keep` reads the chain upward. */
export async function setFolderAccess(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  folderIds: readonly string[],
  request: AccessRequest,
): Promise<Outcomes> {
  await lockFolderTree(em, organization);
  const keep = request === 'keep';
  const type = keep ? tenant.switches.defaultFolderAccessType : request;
  const requested = sql`${type === 'inherit' ? null : accessTypeNumber(type)}::smallint`;
  const updated = await rowsOf(
    em,
    UpdatedRow,
    sql`update folder f set updated_at = now(), access_type = case when ${keep} then coalesce(f.access_type, (
        select a.access_type from unnest(f.ancestors) with ordinality as above (id, place) join folder a on a.id = above.id
        where a.access_type is not null order by above.place desc limit 1), ${requested}) else ${requested} end
      where f.api_key_id = ${tenant.id} and f.org_id = ${organization.id} and f.ext_id = any(${folderIds})
      returning f.ext_id, f.access_type`,
  );
  const types = new Map(updated.map(({ ext_id, access_type }) => [ext_id, access_type]));
  return outcomes(folderIds, new Set(types.keys()), {
    ok: (id) => {
      const number = types.get(id) ?? null;
      return done('Folder access type updated.', {
        accessType: number === null ? null : accessTypeName(number),
        ...(request === 'inherit' && { inheritFromParent: true }),
      });
    },
    otherwise: () => failed('not-found', messages.folderMissing),
  });
}
