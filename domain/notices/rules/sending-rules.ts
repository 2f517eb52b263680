import type { HeldReason } from '../statuses.ts';
import { commonRules, type CommonFacts, type PlanningRuleName } from './planning-rules.ts';
import { firstFailed, type FailedRule, type Rule } from './rule.ts';

/** Milliseconds for which a notice that is ready may wait for its channel. */
export const maxReadyMs = 72 * 60 * 60 * 1_000;

/** One notice when it is due, when its window closes and before each attempt. */
export interface SendingFacts extends CommonFacts {
  /** The notification, what it is about, its document and organization exist, and the user is still a recipient. */
  readonly exists: boolean;
  /** The user is deleted, or a deletion of their data runs. */
  readonly isUserDeleted: boolean;
  /** The user has read the notification, or marked the comment as viewed. */
  readonly isSeen: boolean;
  /** An e-mail address or a Slack account is known, or may be found at Slack. */
  readonly hasAddress: boolean;
  readonly isSuppressed: boolean;
  /** Why the channel of the key waits; null when it sends. */
  readonly held: HeldReason | null;
  /** Milliseconds since the notice was ready to leave: its delay and windows have passed. */
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

/** The rules of sending, in order. Unlike the others, `held` does not end the notice, so `age` is applied beside it. */
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

/** The rule that ends a notice, else the one for which it waits; undefined when it may leave. */
export const stoppedAtSending = (facts: SendingFacts): FailedRule<SendingRuleName> | undefined =>
  firstFailed(endingRules, facts) ?? firstFailed(sendingRules, facts);
