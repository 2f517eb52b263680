import type { StatusReason } from '../statuses.ts';
import { planningRules, type PlanningRuleName } from './planning-rules.ts';
import { sendingRules, type SendingRuleName } from './sending-rules.ts';

export interface EvaluatedRule {
  readonly rule: PlanningRuleName | SendingRuleName;
  readonly passed: boolean;
}

/** The sending rule that ends a notice for a reason; none for reasons of a provider. */
const ruleOfReason: Partial<Record<StatusReason, SendingRuleName>> = {
  'notification-gone': 'exists',
  'service-off': 'service',
  'channel-off': 'channel',
  'not-confirmed': 'channel',
  'not-visible': 'access',
  'no-access': 'access',
  'preference-none': 'preference',
  'preference-mine': 'preference',
  seen: 'seen',
  'no-address': 'address',
  suppressed: 'suppressed',
  expired: 'age',
};

const planned: readonly EvaluatedRule[] = planningRules.map(({ name }) => ({ rule: name, passed: true }));

/** Returns the rules that a notice has passed that waits for its delay or window. */
export const rulesOfNotice = (): readonly EvaluatedRule[] => planned;

/** Returns the rules of a delivery, those of planning first, up to the failed one: the rule of `reason`, or `held`. */
export function rulesOfDelivery(reason: StatusReason | null, isHeld: boolean): readonly EvaluatedRule[] {
  const failed = isHeld ? 'held' : reason === null ? undefined : ruleOfReason[reason];
  const names = sendingRules.map(({ name }) => name);
  // A notice that expires was usually held, so `held` is not listed as passed.
  const applied = failed === 'age' ? names.filter((name) => name !== 'held') : names;
  const last = failed === undefined ? applied.length : applied.indexOf(failed) + 1;
  return [...planned, ...applied.slice(0, last).map((rule) => ({ rule, passed: rule !== failed }))];
}
