/** Max violations with their text. Further ones are only counted. */
const keptViolations = 100;

/** Counts of one kind of call. */
export interface ScenarioTally {
  readonly name: string;
  ended: number;
  /** Calls without a result: the service was unavailable for longer than the retries. */
  givenUp: number;
  readonly durationsMs: number[];
}

export interface Violation {
  readonly at: number;
  readonly text: string;
}

/** Acknowledged writes, and violated checks. */
export class Ledger {
  readonly violations: Violation[] = [];
  violationCount = 0;
  readonly scenarios = new Map<string, ScenarioTally>();
  /** Numbers of checks by their sentence. */
  readonly checks = new Map<string, number>();
  readonly #acknowledged = new Map<string, Map<string, string[]>>();

  /** Counts a check. A failed one is a violation, recorded with its observation. */
  check(sentence: string, holds: boolean, seen: () => string): void {
    this.checks.set(sentence, (this.checks.get(sentence) ?? 0) + 1);
    if (!holds) this.violated(`${sentence}: ${seen()}`);
  }

  violated(text: string): void {
    this.violationCount += 1;
    if (this.violations.length < keptViolations) this.violations.push({ at: Date.now(), text });
  }

  /** Acknowledged records of the lasting documents. */
  acknowledge(tenant: string, documentId: string, recordIds: readonly string[]): void {
    const documents = this.#acknowledged.get(tenant) ?? new Map<string, string[]>();
    this.#acknowledged.set(tenant, documents);
    const known = documents.get(documentId);
    if (known === undefined) documents.set(documentId, [...recordIds]);
    else known.push(...recordIds);
  }

  acknowledged(tenant: string, documentId: string): readonly string[] {
    return this.#acknowledged.get(tenant)?.get(documentId) ?? [];
  }

  tally(name: string): ScenarioTally {
    const known = this.scenarios.get(name);
    if (known !== undefined) return known;
    const tally: ScenarioTally = { name, ended: 0, givenUp: 0, durationsMs: [] };
    this.scenarios.set(name, tally);
    return tally;
  }
}
