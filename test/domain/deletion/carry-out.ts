import type { DeletionJournal } from '../../../domain/deletion/journal/deletion-journal.ts';
import { acceptDeletion, type DeletionRequest } from '../../../domain/deletion/accept-deletion.ts';
import { completeDeletion } from '../../../domain/deletion/end-deletion.ts';
import { fenceUsers } from '../../../domain/deletion/fence-users.ts';
import { verifyDeletion } from '../../../domain/deletion/verify-deletion.ts';
import { removePersonalData } from '../../../domain/deletion/process-stores.ts';
import { findDeletion, type ActiveDeletion } from '../../../domain/deletion/active-deletion.ts';
import { beginJob } from '../../../domain/jobs/job-steps.ts';
import { inTransaction } from '../../../platform/database/orm.ts';
import type { Tenant } from '../../../domain/tenancy/tenant.ts';
import type { TestApi } from '../../support/api.ts';
import type { TestTenant } from '../../support/factories.ts';

/** Accepts a deletion and starts its job. */
export async function begunDeletion(
  { orm }: TestApi,
  tenant: Pick<TestTenant, 'id'>,
  request: Partial<DeletionRequest> & Pick<DeletionRequest, 'userIds'>,
): Promise<ActiveDeletion> {
  const { jobId } = await inTransaction(orm, async (em) =>
    acceptDeletion(em, tenant as Tenant, { organizationIds: undefined, dryRun: false, ...request }),
  );
  if ((await beginJob(orm, jobId)) !== true) throw new Error('the job did not start');
  const deletion = await findDeletion(orm.em.fork(), jobId);
  if (deletion === undefined) throw new Error('the deletion has ended');
  return deletion;
}

/** Runs a generator to its end. Returns its result. */
export async function whole<Result>(steps: AsyncGenerator<unknown, Result>): Promise<Result> {
  for (;;) {
    const { done, value } = await steps.next();
    if (done === true) return value;
  }
}

/** Runs the steps of the workflow without Temporal. Returns the findings of the verification scan. */
export async function carriedOut(
  { orm, keyRing }: TestApi,
  deletion: ActiveDeletion,
  journal?: DeletionJournal,
): Promise<readonly string[] | undefined> {
  if (!(await whole(fenceUsers(orm, deletion)))) throw new Error('the deletion has ended');
  if (!(await whole(removePersonalData(orm, deletion)))) throw new Error('the deletion has ended');
  const found = await whole(verifyDeletion(orm, deletion));
  if (
    found?.length === 0 &&
    (await whole(completeDeletion(orm, { keyRing, issuer: 'https://steward.test', journal }, deletion))) !==
      'ended'
  )
    return ['a key'];
  return found;
}
