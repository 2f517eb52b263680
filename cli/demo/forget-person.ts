import { setTimeout as pause } from 'node:timers/promises';
import type { UsersDataGetDeletionStatusResponse } from '../../packages/client/source/steward.ts';
import type { Listener } from './listen.ts';
import { count, duration } from './narrator.ts';
import { maxWaitMs, proven } from './proven.ts';
import type { DocumentLocation, Stage } from './stage.ts';
import { verifyReceipt } from './verify-receipt.ts';

type Deletion = UsersDataGetDeletionStatusResponse['data'];

/** Deletes a person's data, waits for the receipt and verifies its signature. Returns the job id. */
export async function forgetPerson(
  stage: Stage,
  listener: Listener,
  { organizationId }: DocumentLocation,
  userId: string,
): Promise<string> {
  const { steward, narrator } = stage;
  narrator.act(`Delete the data of ${userId}`);
  await narrator.timed(
    () => exportOf(stage, organizationId, userId),
    (records) => `users/data/get exports ${count(records)} records of ${userId}`,
  );
  const { data: accepted } = await narrator.timed(
    () => steward.users.data.delete({ userIds: [userId] }),
    ({ data, statusCode }) =>
      `The API returned ${String(statusCode)}: ${data.jobId}, ${count(data.tasksCount)} tasks`,
  );
  const { jobId } = accepted;
  const { data: job } = await steward.jobs.get({ jobId });
  if (job.workflowUrl !== null) narrator.say(`Watch it in the Temporal UI: ${job.workflowUrl}`);
  const deletion = await narrator.timed(
    () => ended(stage, jobId),
    ({ completedAt, createdAt }) =>
      `completed after ${duration((completedAt ?? createdAt) - createdAt)}; the verification scan found nothing`,
  );
  await showReceipt(stage, deletion);
  const left = await exportOf(stage, organizationId, userId);
  proven(left === 0, `${count(left)} records of ${userId} remain.`);
  narrator.say(`users/data/get finds no data of ${userId}`);
  await narrator.timed(
    () => listener.until(() => deletionEvent(listener, jobId), maxWaitMs),
    () => 'user.data_deleted arrived, with counts and without names',
  );
  return jobId;
}

const deletionEvent = ({ events }: Listener, jobId: string): true | undefined =>
  [...events.values()].some(({ event, data }) => event === 'user.data_deleted' && data['jobId'] === jobId) ||
  undefined;

/** The number of records in the export. */
async function exportOf({ steward }: Stage, organizationId: string, userId: string): Promise<number> {
  let records = 0;
  for await (const { data } of steward.users.data.get({ organizationId, userId }).pages()) {
    const { user: _profile, ...kinds } = data;
    for (const kind of Object.values(kinds)) records += kind.length;
  }
  return records;
}

async function ended({ steward, signal }: Stage, jobId: string): Promise<Deletion> {
  const until = Date.now() + maxWaitMs;
  for (;;) {
    const { data } = await steward.users.data.getDeletionStatus({ jobId });
    proven(data.status !== 'failed', 'The deletion failed: see the worker log.');
    if (data.isDeleteCompleted) return data;
    proven(Date.now() < until, `The deletion is still ${data.status} after ten minutes.`);
    await pause(50, undefined, { signal });
  }
}

async function showReceipt(
  { installation, narrator, signal }: Stage,
  { receipt, counts }: Deletion,
): Promise<void> {
  proven(receipt !== null, 'The deletion has no receipt.');
  const found = Object.entries(counts).filter(([, number]) => number > 0);
  narrator.say(`Deleted: ${found.map(([kind, number]) => `${count(number)} ${kind}`).join(', ')}`);
  const kid = await narrator.timed(
    () => verifyReceipt(installation.baseUrl, receipt, signal),
    (key) => `The receipt is signed by key ${key} of /.well-known/jwks.json`,
  );
  proven(kid !== '', 'The receipt names no key.');
  narrator.say(`It names the person only as ${receipt.users.join(', ')}`);
}
