import { sql } from 'kysely';
import { tablesOf } from '../tables.ts';
import type { EntityManager } from '../../platform/database/orm.ts';

/** Rows a statement; the next turn takes what is left. */
const atOnce = 5_000;

/** Answers of permission providers that no longer hold; nothing reads them. */
export async function deleteExpiredResponses(em: EntityManager): Promise<void> {
  await sql`delete from provider_answer where ctid = any(array(
       select ctid from provider_answer where expires_at < now() limit ${sql.lit(atOnce)})) and expires_at < now()`.execute(
    tablesOf(em),
  );
}

/**
 * Grants that ended 30 days ago. They count for nothing from their very second; until then `explain` can still tell that
 * there was one. A membership at the same place stays.
 */
export async function deleteExpiredGrants(em: EntityManager): Promise<void> {
  await sql`merge into access x using (values (now() - interval '30 days')) as old (moment)
     on x.grant_expires_at < old.moment and x.ctid = any(array(
       select ctid from access where grant_expires_at < now() - interval '30 days' limit ${sql.lit(atOnce)}))
     when matched and x.is_member then update set grant_role = null, grant_expires_at = null
     when matched then delete`.execute(tablesOf(em));
}
