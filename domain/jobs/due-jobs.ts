import type { EntityManager } from '../../platform/database/orm.ts';
import { rows } from '../../platform/database/sql.ts';
import { jobKindName, startableJob, type SpecialWorkflow, type StartableJob } from './job-kinds.ts';

/** Jobs that one sweep looks after. */
const atOnce = 200;

interface DueRow {
  readonly kind: number;
  readonly public_id: string;
  readonly key_id: string;
  readonly organization_ext_id: string | null;
  readonly workflow: SpecialWorkflow | null;
}

/**
 * Jobs that have not ended and whose workflow may be missing: accepted, or looked after last, some time ago. Those that
 * are answered go to the end of the line, so that many long ones never keep a lost one waiting.
 */
export async function takeDueJobs(em: EntityManager): Promise<StartableJob[]> {
  const due = await rows<DueRow>(
    em,
    `with due as (
       select id from job where status in (0, 1) and next_sweep_at <= now()
       order by next_sweep_at limit ${String(atOnce)} for no key update skip locked)
     update job j set next_sweep_at = now() + interval '1 minute' from due, api_key k where j.id = due.id and k.id = j.api_key_id
     returning j.kind, j.public_id, k.public_id as key_id, j.organization_ext_id, j.request ->> 'workflow' as workflow`,
  );
  return due.map(({ kind, public_id, key_id, organization_ext_id, workflow }) =>
    startableJob({
      kind: jobKindName(kind),
      workflow: workflow ?? undefined,
      jobId: public_id,
      keyId: key_id,
      organizationId: organization_ext_id,
    }),
  );
}
