import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { done, failed, outcomes, type Outcomes } from '../batch.ts';
import { messages } from '../messages.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { accessTypeName, accessTypeNumbers } from '../tenancy/access-types.ts';
import type { AccessType, Tenant } from '../tenancy/tenant.ts';
import { accessOfFolder } from './access-of-folder.ts';
import { lockFolderTree } from './folder-tree.ts';

/**
 * An access type; `inherit`: the parent's access type; `keep`: stores the effective access type, so that it does not
 * follow the parent.
 */
export type AccessRequest = AccessType | 'inherit' | 'keep';

/** A folder's own access type, null when it is inherited. */
interface FolderAccess {
  readonly accessType: AccessType | null;
  readonly inheritFromParent?: true;
}

const UpdatedRow = z.strictObject({ ext_id: z.string(), access_type: z.number().nullable() });

/**
 * Sets the access of folders. One that already has it keeps its `lastUpdated`. The key's default applies at the top level.
 * `keep` reads the ancestors, so the tree is locked.
 */
export async function setFolderAccess(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  folderIds: readonly string[],
  request: AccessRequest,
): Promise<Outcomes<FolderAccess>> {
  await lockFolderTree(em, organization);
  const keep = request === 'keep';
  const type = keep ? tenant.switches.defaultFolderAccessType : request;
  const requested = sql`${type === 'inherit' ? null : accessTypeNumbers[type]}::smallint`;
  const wanted = keep ? sql`coalesce(${accessOfFolder}, ${requested})` : requested;
  const updated = await rowsOf(
    em,
    UpdatedRow,
    sql`update folder f set access_type = ${wanted},
        updated_at = case when f.access_type is distinct from ${wanted} then now() else f.updated_at end
      where f.api_key_id = ${tenant.id} and f.org_id = ${organization.id} and f.ext_id = any(${folderIds})
      returning f.ext_id, f.access_type`,
  );
  const types = new Map(updated.map(({ ext_id, access_type }) => [ext_id, access_type]));
  return outcomes(folderIds, new Set(types.keys()), {
    ok: (id) => {
      const number = types.get(id) ?? null;
      return done<FolderAccess>('Folder access type updated.', {
        accessType: number === null ? null : accessTypeName(number),
        ...(request === 'inherit' && { inheritFromParent: true }),
      });
    },
    otherwise: () => failed('not-found', messages.folderMissing),
  });
}
