/** Violations kept with their text; later ones are counted alone. */
const keptViolations = 100;

/** What the run has seen of one kind of call. */
export interface StoryTally {
  readonly name: string;
  ended: number;
  /** Given up without a result: the service stayed away for longer than the retries. */
  givenUp: number;
  readonly durationsMs: number[];
}

export interface Violation {
  readonly at: number;
  readonly text: string;
}

/** What was acknowledged, and what did not hold. */
export class Ledger {
  readonly violations: Violation[] = [];
  violationCount = 0;
  readonly stories = new Map<string, StoryTally>();
  /** Checks of what must hold, by their sentence. */
  readonly checks = new Map<string, number>();
  readonly #acknowledged = new Map<string, Map<string, string[]>>();

  /** Counts a check; a failed one is a violation, with what was seen. */
  check(sentence: string, holds: boolean, seen: () => string): void {
    this.checks.set(sentence, (this.checks.get(sentence) ?? 0) + 1);
    if (!holds) this.violated(`${sentence}: ${seen()}`);
  }

  violated(text: string): void {
    this.violationCount += 1;
    if (this.violations.length < keptViolations) this.violations.push({ at: Date.now(), text });
  }

  /** Records of a lasting document whose write was acknowledged. */
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

  tally(name: string): StoryTally {
    const known = this.stories.get(name);
    if (known !== undefined) return known;
    const tally: StoryTally = { name, ended: 0, givenUp: 0, durationsMs: [] };
    this.stories.set(name, tally);
    return tally;
  }
}
