import { sql } from 'kysely';
import { tablesOf } from '../tables.ts';
import type { EntityManager } from '../../platform/database/orm.ts';

/** Rows per statement; the next turn deletes the rest. */
const batchSize = 5_000;

/** Deletes expired decisions of permission providers. */
export async function deleteExpiredResponses(em: EntityManager): Promise<void> {
  await sql`delete from provider_answer where ctid = any(array(
       select ctid from provider_answer where expires_at < now() limit ${sql.lit(batchSize)})) and expires_at < now()`.execute(
    tablesOf(em),
  );
}

/**
 * Deletes grants 30 days after their expiry; until then `explain` still reports them. A membership on the same resource is
 * kept.
 */
export async function deleteExpiredGrants(em: EntityManager): Promise<void> {
  await sql`merge into access x using (values (now() - interval '30 days')) as old (moment)
     on x.grant_expires_at < old.moment and x.ctid = any(array(
       select ctid from access where grant_expires_at < now() - interval '30 days' limit ${sql.lit(batchSize)}))
     when matched and x.is_member then update set grant_role = null, grant_expires_at = null
     when matched then delete`.execute(tablesOf(em));
}
