import type { StatusReason } from '../statuses.ts';
import { firstFailed, type FailedRule, type Rule } from './rule.ts';

/** Facts of the rules that both planning and sending apply. */
export interface CommonFacts {
  /** The setting `useNotificationService`. */
  readonly serviceOn: boolean;
  /** `off` also for types of e-mail that the customer sends. `not-confirmed`: settings of a release that sent nothing. */
  readonly channel: 'on' | 'off' | 'not-confirmed';
  /** Whether the user may see the annotation; true for a notification without one. */
  readonly isVisible: boolean;
  /** Whether the user has access to the document; true when access is not verified. */
  readonly hasAccess: boolean;
  /** The preference in force for the channel. */
  readonly level: 'ALL' | 'MINE' | 'NONE';
  /** Whether the caller or the comment names the user; otherwise the user is a member of the document. */
  readonly isNamed: boolean;
}

/** Facts about one user, channel and notification at planning. */
export interface PlanningFacts extends CommonFacts {
  /** Whether the channel's triggers enable the event of the comment; undefined for a notification without a comment. */
  readonly trigger: boolean | undefined;
  /** `actor`: the acting user as a member. `none`: neither named nor a member. */
  readonly recipient: 'named' | 'member' | 'actor' | 'none';
}

export type PlanningRuleName = 'service' | 'channel' | 'trigger' | 'recipient' | 'access' | 'preference';

/** The rules that planning and sending share. */
export const commonRules = {
  service: {
    name: 'service',
    fails: ({ serviceOn }) => (serviceOn ? undefined : 'service-off'),
  },
  channel: {
    name: 'channel',
    fails: ({ channel }) =>
      channel === 'on' ? undefined : channel === 'off' ? 'channel-off' : 'not-confirmed',
  },
  access: {
    name: 'access',
    fails: ({ isVisible, hasAccess }) => (!isVisible ? 'not-visible' : hasAccess ? undefined : 'no-access'),
  },
  preference: {
    name: 'preference',
    fails({ level, isNamed }) {
      if (level === 'NONE') return 'preference-none';
      return level === 'MINE' && !isNamed ? 'preference-mine' : undefined;
    },
  },
} as const satisfies Partial<{ [Name in PlanningRuleName]: Rule<Name, CommonFacts, StatusReason> }>;

/** The rules of planning, in order. A candidate who passes all of them gets a notice. */
export const planningRules: readonly Rule<PlanningRuleName, PlanningFacts, StatusReason>[] = [
  commonRules.service,
  commonRules.channel,
  {
    name: 'trigger',
    fails: ({ trigger = true }) => (trigger ? undefined : 'trigger-off'),
  },
  {
    name: 'recipient',
    fails({ recipient }) {
      if (recipient === 'none') return 'not-recipient';
      return recipient === 'actor' ? 'actor' : undefined;
    },
  },
  commonRules.access,
  commonRules.preference,
];

/** Returns the rule that stops a notice at planning; undefined when it is planned. */
export const stoppedAtPlanning = (
  facts: PlanningFacts,
): FailedRule<PlanningRuleName, StatusReason> | undefined => firstFailed(planningRules, facts);
