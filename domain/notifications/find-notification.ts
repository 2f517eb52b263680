import type { EntityManager } from '../../platform/database/orm.ts';
import { lookup } from '../../platform/database/statements.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf } from '../tables.ts';

/** Finds a notification for a read. Returns undefined for one that does not exist. */
export async function findNotification(
  em: EntityManager,
  organization: ResolvedOrganization,
  notificationId: string,
): Promise<{ readonly id: string } | undefined> {
  const [found] = await lookup(
    em,
    tablesOf(em)
      .selectFrom('notification')
      .select('id')
      .where('org_id', '=', organization.id)
      .where('ext_id', '=', notificationId),
  );
  return found;
}
