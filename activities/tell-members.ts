import { notifyMembers } from '../domain/notifications/notify-members.ts';
import type { JobInput, TurnResult } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';
import { reportProgress } from './report-progress.ts';
import { turnMs } from './turn-ms.ts';

/**
 * Notifies members for one turn, and ends the job when none is left.
 * May be repeated: the notifications and the cursor are written in one transaction.
 */
export const tellMembers =
  ({ orm }: Dependencies) =>
  async ({ jobId }: JobInput): Promise<TurnResult> => {
    const until = performance.now() + turnMs;
    let steps = 0;
    for await (const _ of notifyMembers(orm, jobId)) {
      steps += 1;
      reportProgress(steps);
      if (performance.now() >= until) return { finished: false };
    }
    return { finished: true };
  };
