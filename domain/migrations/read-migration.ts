import type { EntityManager } from '../../platform/database/orm.ts';
import { row } from '../../platform/database/sql.ts';
import { notFound } from '../errors.ts';
import { epochMilliseconds } from '../jobs/job-times.ts';
import { messages } from '../messages.ts';
import type { Tenant } from '../tenancy/tenant.ts';

/** Where a migration stands. Times are milliseconds; `counts` are what the document held, by kind, before it moved. */
export interface MigrationRow {
  readonly public_id: string;
  readonly status: number;
  readonly error: string | null;
  readonly accepted_at: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
  readonly old_ext_id: string;
  readonly new_ext_id: string;
  readonly verified: boolean | null;
  readonly counts: Readonly<Record<string, number>> | null;
}

/** Throws NOT_FOUND for a migration that is unknown, another key's, or of another organization than the one named. */
export async function readMigration(
  em: EntityManager,
  tenant: Tenant,
  { organizationId, migrationId }: { readonly organizationId: string; readonly migrationId: string },
): Promise<MigrationRow> {
  const found = await row<MigrationRow>(
    em,
    `select j.public_id, j.status, j.error, ${epochMilliseconds('j.created_at')} as accepted_at,
       ${epochMilliseconds('j.started_at')} as started_at, ${epochMilliseconds('j.ended_at')} as ended_at,
       m.old_ext_id, m.new_ext_id, m.verified, m.counts
     from job j join migration m on m.job_id = j.id
     where j.api_key_id = $1 and j.public_id = $2 and j.organization_ext_id = $3`,
    [tenant.id, migrationId, organizationId],
  );
  if (found === undefined) throw notFound(messages.migrationMissing);
  return found;
}
