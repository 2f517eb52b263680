import { defineQuery, patched, setHandler, sleep, upsertMemo, workflowInfo } from '@temporalio/workflow';
import { continueWithMemo } from './continue-with-memo.ts';
import { databaseQueue, deletionQueue, type DeletionProgress, type JobInput } from './contract.ts';
import { showResult } from './show-result.ts';
import { steps, retryForADay, retryWithProgress } from './steps.ts';

const { beginDeletion, markLate } = steps(
  { ...retryForADay, taskQueue: databaseQueue, priority: { priorityKey: 2 } },
  {
    beginDeletion: 'Start the deletion',
    markLate: 'Report the deletion as late',
  },
);

/** Runs after steps that a caller waits for (priorities 2 and 3), scheduled fairly between API keys. */
const deletionSteps = (tenant: string) => {
  const options = { taskQueue: deletionQueue, priority: { priorityKey: 4, fairnessKey: tenant } };
  return {
    ...steps(
      { ...retryForADay, ...options },
      {
        fenceUsers: 'Raise the write fence for the users',
        removePersonalData: 'Delete user data for up to 5 s',
        countPersonalData: 'Count user data for up to 5 s',
        completeDeletion: 'Complete the deletion',
      },
    ),
    ...steps({ ...retryWithProgress, ...options }, { verifyDeletion: 'Verify that no user data is left' }),
  };
};
type DeletionSteps = ReturnType<typeof deletionSteps>;

const progressQuery = defineQuery<DeletionProgress>('progress');

/** Delay before deleting what the verification scan found: a fault must not become a busy loop. */
const roundDelay = '5 seconds';

/** Runs a deletion. Shows its progress, then its result, by query and memo. */
export async function deleteUserData({ jobId }: JobInput): Promise<void> {
  let progress: DeletionProgress = progressOfEarlierRun() ?? { phase: null, counts: {} };
  setHandler(progressQuery, () => progress);
  const show: Show = (phase, counts = progress.counts) => {
    progress = { phase, counts };
    upsertMemo({ progress });
  };
  await run(jobId, show, progress.phase ?? 'fencing');
  const result = await showResult({ jobId });
  if (result !== undefined) show(result.status, result.counts);
}

/** The progress of the run that continued as this one: its phases do not begin again. */
const progressOfEarlierRun = (): DeletionProgress | undefined =>
  workflowInfo().memo?.['progress'] as DeletionProgress | undefined;

/**
 * Fences the users, deletes, verifies and completes. A cancellation takes effect between two steps. A dry run counts
 * instead.
 */
async function run(jobId: string, show: Show, firstPhase: DeletionProgress['phase']): Promise<void> {
  const begun = await beginDeletion({ jobId });
  if (begun === null) return;
  const work = deletionSteps(begun.tenant);
  if (begun.dryRun) {
    show('counting', begun.counts);
    if (await workInTurns(work.countPersonalData, jobId, ['counting', 'counting'], show))
      await work.completeDeletion({ jobId });
    return;
  }
  // Workers also report late deletions without this timer, so its failure loses nothing.
  void reportWhenLate(jobId, begun.lateInMs).catch(() => undefined);
  show(firstPhase, begun.counts);
  if (!(await work.fenceUsers({ jobId }))) return;
  while ((await round(work, jobId, show)) === 'found') {
    await sleep(roundDelay, { summary: 'Wait before deleting what the verification scan found' });
    if (workflowInfo().continueAsNewSuggested && patched('rounds'))
      await continueWithMemo<typeof deleteUserData>([{ jobId }]);
  }
}

/** Shows a phase, with the counts shown last when there are no others. */
type Show = (phase: DeletionProgress['phase'], counts?: DeletionProgress['counts']) => void;

async function round(work: DeletionSteps, jobId: string, show: Show): Promise<'found' | 'ended'> {
  if (!(await workInTurns(work.removePersonalData, jobId, ['deleting', 'verifying'], show))) return 'ended';
  const verdict = await work.verifyDeletion({ jobId });
  if (verdict !== 'clean') return verdict;
  return (await work.completeDeletion({ jobId })) === 'found' ? 'found' : 'ended';
}

/**
 * Runs turns until no work is left, and shows the phase that follows with the counts of the last one. Returns false when
 * the deletion ended between two turns: their counts are not those of the deletion.
 */
async function workInTurns(
  work: DeletionSteps['removePersonalData'],
  jobId: string,
  [phase, next]: readonly [DeletionProgress['phase'], DeletionProgress['phase']],
  show: Show,
): Promise<boolean> {
  for (;;) {
    const { state, counts } = await work({ jobId });
    show(state === 'finished' ? next : phase, state === 'ended' ? undefined : counts);
    if (state !== 'more') return state === 'finished';
    if (workflowInfo().continueAsNewSuggested) await continueWithMemo<typeof deleteUserData>([{ jobId }]);
  }
}

/** Runs concurrently with the deletion and reports it when it is late. */
async function reportWhenLate(jobId: string, lateInMs: number): Promise<void> {
  await sleep(lateInMs, { summary: `${jobId}: report the deletion as late` });
  await markLate({ jobId });
}
