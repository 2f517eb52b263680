import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { recordEvents } from '../events/record-events.ts';
import type { cancelledError } from '../jobs/job.entity.ts';
import { jobStatusNumbers, type JobStatus } from '../jobs/job.entity.ts';

/** The `error` of a failed migration that was not canceled. A failed migration has changed nothing. */
export const migrationErrors = {
  deleted: 'document was deleted',
  taken: 'newDocumentId was taken meanwhile',
} as const;
export type MigrationError = (typeof migrationErrors)[keyof typeof migrationErrors] | typeof cancelledError;

const FailedRow = z.strictObject({
  public_id: z.string(),
  organization_ext_id: z.string(),
  org_id: z.string(),
  document_id: z.string(),
  old_ext_id: z.string(),
  new_ext_id: z.string(),
});

/**
 * Fails those of the jobs that still have one of the statuses `from`, frees their reservations and emits
 * `document.migration_failed`. Returns the number of failed jobs: a compare-and-set, so a second call fails none.
 */
export async function failMigrations(
  em: EntityManager,
  tenantId: string,
  {
    jobs,
    from,
    error,
  }: {
    readonly jobs: readonly string[];
    readonly from: readonly JobStatus[];
    readonly error: MigrationError;
  },
): Promise<number> {
  const failed = await rowsOf(
    em,
    FailedRow,
    sql`with ended as (
        update job set status = ${jobStatusNumbers.failed}, error = ${error}, ended_at = now()
        where id = any(${jobs}) and api_key_id = ${tenantId} and status = any(${from.map((status) => jobStatusNumbers[status])})
        returning id, public_id, organization_ext_id),
      freed as (delete from id_reservation r using ended e where r.job_id = e.id)
      select e.public_id, e.organization_ext_id, m.org_id, m.document_id, m.old_ext_id, m.new_ext_id
      from ended e join migration m on m.job_id = e.id`,
  );
  await recordEvents(
    em,
    tenantId,
    failed.map((row) => ({
      type: 'document.migration_failed',
      organization: row.org_id,
      document: row.document_id,
      channels: [row.organization_ext_id, row.old_ext_id, row.new_ext_id],
      payload: { ...migrationPayload(row), error },
      users: [],
    })),
  );
  return failed.length;
}

/** The payload of migration events: customer's ids only. */
export function migrationPayload(
  row: Pick<z.infer<typeof FailedRow>, 'public_id' | 'organization_ext_id' | 'old_ext_id' | 'new_ext_id'>,
) {
  return {
    migrationId: row.public_id,
    organizationId: row.organization_ext_id,
    documentId: row.old_ext_id,
    newDocumentId: row.new_ext_id,
  };
}
