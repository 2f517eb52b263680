import type { FinalStatus, StatusReason } from '../notices/statuses.ts';
import { stoppedAtSending, type SendingFacts } from '../notices/rules/sending-rules.ts';

/**
 * Result of the sending rules for a notice. `removed`: it is deleted without a record. `kept`: it may be sent, or waits.
 */
export type Judged =
  | { readonly outcome: 'kept' }
  | { readonly outcome: 'removed' }
  | { readonly outcome: 'ended'; readonly status: FinalStatus; readonly reason: StatusReason };

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
