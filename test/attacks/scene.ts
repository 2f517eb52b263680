import type { TestClient } from '../support/client.ts';
import type { TestDocument } from '../support/factories.ts';

/** Limits that every attack must respect: docs/operations.md, Attacks. Tests do not judge durations. */
export const attackLimits = { residentMiB: 600, slowestMs: 1_000 } as const;

/** The API under attack, and the tenant that attacks it. */
export interface Target {
  readonly url: string;
  readonly attacker: TestClient;
  readonly document: TestDocument;
  /** Runs a statement on the database of the API. */
  sql<Row extends object>(statement: string, parameters?: readonly unknown[]): Promise<readonly Row[]>;
}

/**
 * Runs an attack, and throws for a response that it must not get. `neighborServed` resolves when another tenant has
 * completed this number of further calls.
 */
export type Attack = (neighborServed: (calls: number) => Promise<void>) => Promise<void>;

/** An attack that the tests judge and `npm run bench -- attacks` measures. */
export interface Scene {
  readonly title: string;
  /** Prepares the attack unobserved. */
  readonly prepare?: (target: Target) => Promise<unknown>;
  readonly attack: (target: Target, ...context: Parameters<Attack>) => Promise<void>;
}

/** Scenes on the same records, in their order. */
export interface Stage {
  /** Variables of the attacked API. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The other tenant opens a connection for each call, and probes. */
  readonly reconnects?: boolean;
  /** Writes the records. */
  readonly prepare?: (target: Target) => Promise<unknown>;
  readonly scenes: readonly Scene[];
}
