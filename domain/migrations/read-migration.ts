import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowOf } from '../../platform/database/statements.ts';
import { notFound } from '../errors.ts';
import { epochMilliseconds } from '../jobs/job-times.ts';
import { messages } from '../messages.ts';
import type { Tenant } from '../tenancy/tenant.ts';

/** Where a migration stands. Times are milliseconds; `counts` are what the document held, by kind, before it moved. */
const MigrationRow = z.strictObject({
  public_id: z.string(),
  status: z.number(),
  error: z.string().nullable(),
  accepted_at: z.number(),
  started_at: z.number().nullable(),
  ended_at: z.number().nullable(),
  old_ext_id: z.string(),
  new_ext_id: z.string(),
  verified: z.boolean().nullable(),
  counts: z.record(z.string(), z.number()).nullable(),
});
export type MigrationRow = z.infer<typeof MigrationRow>;

/** Throws NOT_FOUND for a migration that is unknown, another key's, or of another organization than the one named. */
export async function readMigration(
  em: EntityManager,
  tenant: Tenant,
  { organizationId, migrationId }: { readonly organizationId: string; readonly migrationId: string },
): Promise<MigrationRow> {
  const found = await rowOf(
    em,
    MigrationRow,
    sql`select j.public_id, j.status, j.error, ${epochMilliseconds('j.created_at')} as accepted_at,
        ${epochMilliseconds('j.started_at')} as started_at, ${epochMilliseconds('j.ended_at')} as ended_at,
        m.old_ext_id, m.new_ext_id, m.verified, m.counts
      from job j join migration m on m.job_id = j.id
      where j.api_key_id = ${tenant.id} and j.public_id = ${migrationId} and j.organization_ext_id = ${organizationId}`,
  );
  if (found === undefined) throw notFound(messages.migrationMissing);
  return found;
}
