import type { InferResult } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { notFound } from '../errors.ts';
import { epochMilliseconds } from '../sql-times.ts';
import { messages } from '../messages.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';

const migrationOf = (em: EntityManager, tenant: Tenant, publicId: string) =>
  tablesOf(em)
    .selectFrom('job as j')
    .innerJoin('migration as m', 'm.job_id', 'j.id')
    .select(['j.public_id', 'j.status', 'j.error', 'm.old_ext_id', 'm.new_ext_id', 'm.verified', 'm.counts'])
    .select(epochMilliseconds('j.created_at').as('accepted_at'))
    .select(epochMilliseconds<number | null>('j.started_at').as('started_at'))
    .select(epochMilliseconds<number | null>('j.ended_at').as('ended_at'))
    .where('j.api_key_id', '=', tenant.id)
    .where('j.public_id', '=', publicId);

/** The status of a migration. Times are milliseconds since the epoch; `counts`: records by kind before the move. */
export type MigrationRow = InferResult<ReturnType<typeof migrationOf>>[number];

/**
 * Throws NOT_FOUND when the migration is unknown, belongs to another key, or belongs to another organization than the one
 * named.
 */
export async function readMigration(
  em: EntityManager,
  tenant: Tenant,
  { organizationId, migrationId }: { readonly organizationId: string; readonly migrationId: string },
): Promise<MigrationRow> {
  const found = await migrationOf(em, tenant, migrationId)
    .where('j.organization_ext_id', '=', organizationId)
    .executeTakeFirst();
  if (found === undefined) throw notFound(messages.migrationMissing);
  return found;
}
