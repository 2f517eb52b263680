import type { EntityManager } from '../../platform/database/orm.ts';
import { rows } from '../../platform/database/sql.ts';
import { recordEvents } from '../events/record-events.ts';
import { jobStatusNumbers, type JobStatus } from '../jobs/job.entity.ts';

/** Why a migration failed, as its status says it. Nothing has changed then. */
export const migrationErrors = {
  deleted: 'document was deleted',
  taken: 'newDocumentId was taken meanwhile',
  cancelled: 'cancelled',
} as const;
export type MigrationError = (typeof migrationErrors)[keyof typeof migrationErrors];

interface FailedRow {
  readonly public_id: string;
  readonly organization_ext_id: string;
  readonly org_id: string;
  readonly document_id: string;
  readonly old_ext_id: string;
  readonly new_ext_id: string;
}

/**
 * Ends as failed those of the jobs that are still in one of the states, frees their reservations and emits
 * `document.migration_failed`. Answers how many it ended: a compare-and-set, so whoever comes second ends none.
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
  const failed = await rows<FailedRow>(
    em,
    `with ended as (
       update job set status = $4, error = $5, ended_at = now()
       where id = any($2) and api_key_id = $1 and status = any($3) returning id, public_id, organization_ext_id),
     freed as (delete from id_reservation r using ended e where r.job_id = e.id)
     select e.public_id, e.organization_ext_id, m.org_id, m.document_id, m.old_ext_id, m.new_ext_id
     from ended e join migration m on m.job_id = e.id`,
    [tenantId, jobs, from.map((status) => jobStatusNumbers[status]), jobStatusNumbers.failed, error],
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

/** What the events of a migration say of it: customer's ids only. */
export function migrationPayload(row: {
  readonly public_id: string;
  readonly organization_ext_id: string;
  readonly old_ext_id: string;
  readonly new_ext_id: string;
}) {
  return {
    migrationId: row.public_id,
    organizationId: row.organization_ext_id,
    documentId: row.old_ext_id,
    newDocumentId: row.new_ext_id,
  };
}
