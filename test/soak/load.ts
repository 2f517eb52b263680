import { setTimeout as pause } from 'node:timers/promises';
import { seededRandom } from '../../bench/random.ts';
import { StewardError } from '../../packages/client/source/steward.ts';
import type { Ledger } from './ledger.ts';
import { scenarios, type Scenario, type ScenarioContext } from './scenarios.ts';
import type { SoakTenant } from './tenant.ts';

const defaultCallers = 4;
/** Makes a caller wait before its next scenario. */
export interface Pace {
  next(random: () => number): Promise<void>;
}

/** At most 200 ms between two scenarios of a caller: the run tests endurance, not throughput. */
export const randomPauses: Pace = {
  next: async (random) => await pause(random() * 200),
};

/** Lets callers run scenarios one after the other. `limit` sets their max rate. */
export class LimitedPace implements Pace {
  #betweenStartsMs = 0;
  #nextAt = 0;

  /** Of all callers together. Callers that were delayed do not catch up. */
  limit(scenariosPerSecond: number): void {
    this.#betweenStartsMs = 1_000 / scenariosPerSecond;
  }

  async next(): Promise<void> {
    const now = performance.now();
    const at = Math.max(now, this.#nextAt);
    this.#nextAt = at + this.#betweenStartsMs;
    await pause(at - now);
  }
}

/** Allowed error statuses while servers are killed. Any other is a violation. */
const passing: ReadonlySet<string> = new Set([
  'UNAVAILABLE',
  'ABORTED',
  'DEADLINE_EXCEEDED',
  'RESOURCE_EXHAUSTED',
  'CANCELLED',
]);

export interface LoadOptions {
  readonly ledger: Ledger;
  readonly seed: number;
  readonly stop: AbortSignal;
  readonly pace: Pace;
  /** Default: 4. */
  readonly callersPerTenant?: number | undefined;
}

/** Runs scenarios for every tenant until the signal aborts. Resolves when running scenarios have ended. */
export async function runLoad(
  tenants: readonly SoakTenant[],
  { ledger, seed, stop, pace, callersPerTenant = defaultCallers }: LoadOptions,
): Promise<void> {
  const callers = tenants.flatMap((tenant) =>
    Array.from({ length: callersPerTenant }, (_, number) => ({ tenant, number })),
  );
  await Promise.all(
    callers.map(async ({ tenant, number }, index) => {
      const random = seededRandom(seed + index);
      let ids = 0;
      const context = { tenant, ledger, random, nextId: () => `${String(number)}-${String(ids++)}` };
      while (!stop.aborted) {
        await runScenario(chosen(random), context);
        await pace.next(random);
      }
    }),
  );
}

const allWeights = scenarios.reduce((sum, { weight }) => sum + weight, 0);

function chosen(random: () => number): Scenario {
  let left = random() * allWeights;
  const scenario = scenarios.find(({ weight }) => (left -= weight) < 0);
  if (scenario === undefined) throw new Error('There are no scenarios.');
  return scenario;
}

async function runScenario(scenario: Scenario, context: ScenarioContext): Promise<void> {
  const tally = context.ledger.tally(scenario.name);
  const began = performance.now();
  try {
    await scenario.run(context);
    tally.ended += 1;
    tally.durationsMs.push(performance.now() - began);
  } catch (error) {
    if (error instanceof StewardError && passing.has(error.status)) tally.givenUp += 1;
    else context.ledger.violated(`${scenario.name} failed: ${textOf(error)}`);
  }
}

const textOf = (error: unknown): string =>
  error instanceof StewardError
    ? `${error.status} ${error.message} ${JSON.stringify(error.details)} (${error.requestId})`
    : String(error);
