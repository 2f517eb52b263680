import { notifyMembers } from '../domain/notifications/notify-members.ts';
import type { JobInput, TurnResult } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';
import { inOneTurn } from './report-progress.ts';

/**
 * Notifies members for one turn, and ends the job when none is left.
 * May be repeated: the notifications and the cursor are written in one transaction.
 */
export const tellMembers =
  ({ orm }: Dependencies) =>
  async ({ jobId }: JobInput): Promise<TurnResult> => {
    const { finished } = await inOneTurn(notifyMembers(orm, jobId));
    return { finished };
  };
