import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowOf } from '../../platform/database/statements.ts';
import { switchesOf, switchesOfKey, type Configs } from '../credentials/authenticate.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { isActive } from '../workspaces/key-activity.ts';

const TenantRow = z.strictObject({ id: z.string(), configs: z.custom<Configs | null>() });

/**
 * Finds the tenant of work that no API call started. Undefined when the key is unknown, deleted or disabled. `keyId`:
 * public id.
 */
export async function findActiveTenant(em: EntityManager, keyId: string): Promise<Tenant | undefined> {
  const found = await rowOf(
    em,
    TenantRow,
    sql`select k.id, ${switchesOfKey} as configs from api_key k where k.public_id = ${keyId} and ${isActive}`,
  );
  if (found === undefined) return undefined;
  const switches = switchesOf(found.configs ?? {});
  return { id: found.id, keyId, switches };
}
