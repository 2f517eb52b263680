import { hourMs } from '../../../platform/units.ts';
import type { HeldReason } from '../statuses.ts';
import { commonRules, type CommonFacts, type PlanningRuleName } from './planning-rules.ts';
import { firstFailed, type FailedRule, type Rule } from './rule.ts';

/** Max milliseconds that a ready notice waits for its channel. */
export const maxReadyMs = 72 * hourMs;

/** Facts about one notice when it is due, when its window closes, and before each attempt. */
export interface SendingFacts extends CommonFacts {
  /** The notification, its subject, document and organization exist, and the user is still a recipient. */
  readonly exists: boolean;
  /** The user is deleted, or a deletion of the user's data runs. */
  readonly isUserDeleted: boolean;
  /** The user has read the notification, or marked the comment as viewed. */
  readonly isSeen: boolean;
  /** An e-mail address or a Slack account is known, or Slack may know an account. */
  readonly hasAddress: boolean;
  readonly isSuppressed: boolean;
  /** Why the channel of the key is held; null when it sends. */
  readonly held: HeldReason | null;
  /** Milliseconds since the notice became ready: its delay and windows had passed. */
  readonly readyMs: number;
}

export type SendingRuleName =
  | Exclude<PlanningRuleName, 'trigger' | 'recipient'>
  | 'exists'
  | 'user'
  | 'seen'
  | 'address'
  | 'suppressed'
  | 'held'
  | 'age';

/** The sending rules in order. A notice that fails `held` waits, so `age` limits the wait. */
export const sendingRules: readonly Rule<SendingRuleName, SendingFacts>[] = [
  { name: 'exists', fails: ({ exists }) => (exists ? undefined : 'notification-gone') },
  { name: 'user', fails: ({ isUserDeleted }) => (isUserDeleted ? 'removed' : undefined) },
  commonRules.service,
  commonRules.channel,
  commonRules.access,
  commonRules.preference,
  { name: 'seen', fails: ({ isSeen }) => (isSeen ? 'seen' : undefined) },
  { name: 'address', fails: ({ hasAddress }) => (hasAddress ? undefined : 'no-address') },
  { name: 'suppressed', fails: ({ isSuppressed }) => (isSuppressed ? 'suppressed' : undefined) },
  { name: 'held', fails: ({ held }) => (held === null ? undefined : 'waits') },
  { name: 'age', fails: ({ readyMs }) => (readyMs > maxReadyMs ? 'expired' : undefined) },
];

const endingRules = sendingRules.filter(({ name }) => name !== 'held');

/** Returns the rule that ends a notice, else the one for which it waits; undefined when it may be sent. */
export const stoppedAtSending = (facts: SendingFacts): FailedRule<SendingRuleName> | undefined =>
  firstFailed(endingRules, facts) ?? firstFailed(sendingRules, facts);
