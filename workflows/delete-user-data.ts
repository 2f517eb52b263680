import {
  continueAsNew,
  defineQuery,
  setHandler,
  sleep,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import { databaseQueue, deletionQueue, type DeletionProgress, type JobInput } from './contract.ts';
import { showResult } from './show-result.ts';
import { steps, untilItWorks } from './steps.ts';

const { beginDeletion, markLate } = steps(
  { ...untilItWorks, taskQueue: databaseQueue, priority: { priorityKey: 2 } },
  {
    beginDeletion: 'Take the deletion in hand',
    markLate: 'Say that the deletion takes too long',
  },
);

/** Behind what someone waits for, and by turns with the deletions of other keys. */
const deletionSteps = (tenant: string) =>
  steps(
    { ...untilItWorks, taskQueue: deletionQueue, priority: { priorityKey: 4, fairnessKey: tenant } },
    {
      fenceUsers: 'Refuse writes that name the people',
      removePersonalData: 'Delete for a turn',
      countPersonalData: 'Count for a turn',
      verifyDeletion: 'Look a second time',
      completeDeletion: 'End the deletion',
    },
  );
type DeletionSteps = ReturnType<typeof deletionSteps>;

export const progressQuery = defineQuery<DeletionProgress>('progress');

/** Before another round for what a second scan has found: that is a fault, and should not be a busy one. */
const betweenRounds = '5 seconds';

/** Carries out a deletion, shows how far it is, and at last what came of it. */
export async function deleteUserData({ jobId }: JobInput): Promise<void> {
  let progress: DeletionProgress = { phase: null, counts: {} };
  setHandler(progressQuery, () => progress);
  const show = (shown: DeletionProgress): void => {
    progress = shown;
    upsertMemo({ progress });
  };
  await carryOut(jobId, show);
  const result = await showResult({ jobId });
  if (result !== undefined) show({ phase: result.status, counts: result.counts });
}

/** Fence, delete, verify, complete. Cancelling ends it between two steps; a dry run counts instead. */
async function carryOut(jobId: string, show: Show): Promise<void> {
  const begun = await beginDeletion({ jobId });
  if (begun === null) return;
  const work = deletionSteps(begun.tenant);
  if (begun.dryRun) {
    show({ phase: 'counting', counts: {} });
    if (await turns(work.countPersonalData, jobId, 'counting', show)) await work.completeDeletion({ jobId });
    return;
  }
  // The workers look for late deletions by themselves too, so nothing is lost when this fails.
  void beLate(jobId, begun.lateInMs).catch(() => undefined);
  show({ phase: 'fencing', counts: {} });
  if (!(await work.fenceUsers({ jobId }))) return;
  while ((await round(work, jobId, show)) === 'found')
    await sleep(betweenRounds, { summary: 'Waits before it deletes what the verification scan has found' });
}

type Show = (progress: DeletionProgress) => void;

async function round(work: DeletionSteps, jobId: string, show: Show): Promise<'found' | 'ended'> {
  if (!(await turns(work.removePersonalData, jobId, 'deleting', show))) return 'ended';
  const verdict = await work.verifyDeletion({ jobId });
  if (verdict !== 'clean') return verdict;
  return (await work.completeDeletion({ jobId })) === 'found' ? 'found' : 'ended';
}

/** Works turn by turn until nothing is left to do; false when the deletion has ended meanwhile. */
async function turns(
  work: DeletionSteps['removePersonalData'],
  jobId: string,
  phase: 'deleting' | 'counting',
  show: Show,
): Promise<boolean> {
  for (;;) {
    const { state, counts } = await work({ jobId });
    show({ phase, counts });
    if (state !== 'more') return state === 'finished';
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof deleteUserData>({ jobId });
  }
}

/** Beside the work. */
async function beLate(jobId: string, lateInMs: number): Promise<void> {
  await sleep(lateInMs, { summary: `${jobId}: reports the deletion as late` });
  await markLate({ jobId });
}
