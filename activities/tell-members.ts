import { notifyMembers } from '../domain/notifications/notify-members.ts';
import type { JobInput, NotifyStep } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';
import { reportProgress } from './work-in-steps.ts';

/** Milliseconds that one call works before it makes room for other jobs. */
const turn = 5_000;

/**
 * Notifies members for a turn, and ends the job when there are none left.
 * May be repeated: how far it came is written with what it did.
 */
export const tellMembers =
  ({ orm }: Dependencies) =>
  async ({ jobId }: JobInput): Promise<NotifyStep> => {
    const until = Date.now() + turn;
    let steps = 0;
    for await (const _ of notifyMembers(orm, jobId)) {
      steps += 1;
      reportProgress(steps);
      if (Date.now() >= until) return { finished: false };
    }
    return { finished: true };
  };
