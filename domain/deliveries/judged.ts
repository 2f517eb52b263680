import type { FinalStatus, Reason } from '../notices/statuses.ts';
import { stoppedAtSending, type SendingFacts } from '../notices/rules/sending-rules.ts';

/** What becomes of a notice by the sending rules. `removed`: it leaves no trace. `kept`: it may be sent, or waits. */
export type Judged =
  | { readonly outcome: 'kept' }
  | { readonly outcome: 'removed' }
  | { readonly outcome: 'ended'; readonly status: FinalStatus; readonly reason: Reason };

const kept: Judged = { outcome: 'kept' };
const removed: Judged = { outcome: 'removed' };

export function judge(facts: SendingFacts | undefined): Judged {
  if (facts === undefined || facts.isUserDeleted) return removed;
  const stopped = stoppedAtSending(facts);
  if (stopped === undefined || stopped.failure === 'waits') return kept;
  const { failure } = stopped;
  if (failure === 'removed') return removed;
  return { outcome: 'ended', status: failure === 'expired' ? 'failed' : 'skipped', reason: failure };
}
