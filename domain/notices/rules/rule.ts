import type { StatusReason } from '../statuses.ts';

/** A named rule about facts. Rules are evaluated in order; `explain` reports them by name. */
export interface Rule<Name extends string, Facts, Why extends Failure = Failure> {
  readonly name: Name;
  /** Returns the reason for which the facts fail the rule; undefined when they pass. */
  readonly fails: (facts: Facts) => Why | undefined;
}

/**
 * Why a rule fails. `removed`: the user is deleted, so the notice is deleted without a record. `waits`: the notice stays
 * until its channel sends again.
 */
export type Failure = StatusReason | 'removed' | 'waits';

/** The first rule that fails, and its reason. */
export interface FailedRule<Name extends string, Why extends Failure = Failure> {
  readonly rule: Name;
  readonly failure: Why;
}

/** Returns the first of `rules` that the facts fail; undefined when they pass all. */
export function firstFailed<Name extends string, Facts, Why extends Failure>(
  rules: readonly Rule<Name, Facts, Why>[],
  facts: Facts,
): FailedRule<Name, Why> | undefined {
  for (const { name, fails } of rules) {
    const failure = fails(facts);
    if (failure !== undefined) return { rule: name, failure };
  }
  return undefined;
}
