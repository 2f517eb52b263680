import { done, failed, outcomes, type Outcomes } from '../batch.ts';
import { messages } from '../messages.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { accessTypeName, accessTypeNumber } from '../tenancy/access-types.ts';
import type { AccessType, Tenant } from '../tenancy/tenant.ts';
import { rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { lockFolderTree } from './folder-tree.ts';

/** A type of its own; `inherit`: the parent's from now on; `keep`: what is in force now, whatever the parent does later. */
export type AccessWish = AccessType | 'inherit' | 'keep';

/** What is in force at the top is the key's default. Under the lock of the tree: `keep` reads the chain upward. */
export async function setFolderAccess(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  folderIds: readonly string[],
  wish: AccessWish,
): Promise<Outcomes> {
  await lockFolderTree(em, organization);
  const keep = wish === 'keep';
  const type = keep ? tenant.switches.defaultFolderAccessType : wish;
  const updated = await rows<{ ext_id: string; access_type: number | null }>(
    em,
    `update folder f set updated_at = now(), access_type = case when $5 then coalesce(f.access_type, (
         select a.access_type from unnest(f.ancestors) with ordinality as above (id, place) join folder a on a.id = above.id
         where a.access_type is not null order by above.place desc limit 1), $4) else $4 end
     where f.api_key_id = $1 and f.org_id = $2 and f.ext_id = any($3) returning f.ext_id, f.access_type`,
    [tenant.id, organization.id, folderIds, type === 'inherit' ? null : accessTypeNumber(type), keep],
  );
  const types = new Map(updated.map(({ ext_id, access_type }) => [ext_id, access_type]));
  return outcomes(folderIds, new Set(types.keys()), {
    ok: (id) => {
      const number = types.get(id) ?? null;
      return done('Folder access type updated.', {
        accessType: number === null ? null : accessTypeName(number),
        ...(wish === 'inherit' && { inheritFromParent: true }),
      });
    },
    otherwise: () => failed('not-found', messages.folderMissing),
  });
}
