import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { changedBy } from '../../platform/database/statements.ts';
import { batchDeletion } from '../delete-batch.ts';

/* Each function deletes one batch and returns whether more rows may be expired. */

/** Rows per statement. */
const batchSize = 5_000;

/**
 * Deletes expired decisions of permission providers outside the daily partitions: those of release 0.2.0, and those that
 * were valid for more than 24 hours.
 */
export const deleteExpiredResponses = batchDeletion({
  table: 'provider_answer',
  only: true,
  where: sql`expires_at < now()`,
});

/**
 * Deletes grants 30 days after their expiry; until then `explain` still reports them. A membership on the same resource is
 * kept.
 */
export async function deleteExpiredGrants(em: EntityManager): Promise<boolean> {
  const changed = await changedBy(
    em,
    sql`merge into access x using (values (now() - interval '30 days')) as old (moment)
     on x.grant_expires_at < old.moment and x.ctid = any(array(
       select ctid from access where grant_expires_at < now() - interval '30 days' limit ${sql.lit(batchSize)}))
     when matched and x.is_member then update set grant_role = null, grant_expires_at = null
     when matched then delete`,
  );
  return changed === batchSize;
}
