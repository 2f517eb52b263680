import { sql } from 'kysely';
import { startableJob, type SpecialWork, type StartableJob } from '../jobs/job-kinds.ts';
import { jobKindOf } from './job-kinds.ts';

const notifyRemaining: SpecialWork = 'notifyRemaining';

/** The columns of a job `j` and its key `k` that starting its workflow needs. */
export const startableColumns = [
  'j.kind',
  'j.public_id',
  'k.public_id as key_id',
  'j.organization_ext_id',
  'j.request_id',
  sql<SpecialWork | null>`coalesce(j.request ->> 'workflow',
    case when j.request -> 'notify' is not null then ${sql.lit(notifyRemaining)} end)`.as('special'),
] as const;

interface StartableRow {
  readonly kind: number;
  readonly public_id: string;
  readonly key_id: string;
  readonly organization_ext_id: string | null;
  readonly request_id: string | null;
  readonly special: SpecialWork | null;
}

export const startableOf = (row: StartableRow): StartableJob =>
  startableJob(
    jobKindOf(row.kind),
    {
      jobId: row.public_id,
      keyId: row.key_id,
      organizationId: row.organization_ext_id,
      requestId: row.request_id,
    },
    row.special ?? undefined,
  );
