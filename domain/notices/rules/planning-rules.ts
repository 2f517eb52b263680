import type { Reason } from '../statuses.ts';
import { firstFailed, type FailedRule, type Rule } from './rule.ts';

/** What the rules that both planning and sending apply depend on. */
export interface CommonFacts {
  /** useNotificationService. */
  readonly serviceOn: boolean;
  /** `off` also for a type of e-mail that the customer sends; `not-confirmed`: settings of a release that sent nothing. */
  readonly channel: 'on' | 'off' | 'not-confirmed';
  /** Whether the user may see the annotation; true for a notification that is about none. */
  readonly isVisible: boolean;
  /** True where access is not verified. */
  readonly hasAccess: boolean;
  /** The preference in force for the channel. */
  readonly level: 'ALL' | 'MINE' | 'NONE';
  /** Named by the caller or by the comment; otherwise the user is a member of the document. */
  readonly isNamed: boolean;
}

/** One user, one channel and one notification, at planning. */
export interface PlanningFacts extends CommonFacts {
  /** Whether the channel's triggers hold the event of the comment; undefined for a notification that no comment made. */
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
} as const satisfies Partial<{ [Name in PlanningRuleName]: Rule<Name, CommonFacts, Reason> }>;

/** The rules of planning, in order. A candidate who passes all of them gets a notice. */
export const planningRules: readonly Rule<PlanningRuleName, PlanningFacts, Reason>[] = [
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

/** The rule that stops a notice at planning; undefined when it is planned. */
export const stoppedAtPlanning = (facts: PlanningFacts): FailedRule<PlanningRuleName, Reason> | undefined =>
  firstFailed(planningRules, facts);
