import { setTimeout as pause } from 'node:timers/promises';
import { seededRandom } from '../../bench/random.ts';
import { StewardError } from '../../packages/client/source/steward.ts';
import type { Ledger } from './ledger.ts';
import { stories, type Story, type Teller } from './stories.ts';
import type { SoakTenant } from './tenant.ts';

const defaultCallers = 4;
/** Makes a caller wait before its next story. */
export interface Pace {
  next(random: () => number): Promise<void>;
}

/** At most 200 ms between two stories of a caller: the run tests endurance, not throughput. */
export const randomPauses: Pace = {
  next: async (random) => await pause(random() * 200),
};

/** Lets callers tell one story after the other, and from `limit` on only so many. */
export class LimitedPace implements Pace {
  #betweenStartsMs = 0;
  #nextAt = 0;

  /** Of all callers together. Callers that were delayed do not catch up. */
  limit(storiesPerSecond: number): void {
    this.#betweenStartsMs = 1_000 / storiesPerSecond;
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

/** Runs stories for every tenant until the signal aborts. Resolves when running stories have ended. */
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
      const teller = { tenant, ledger, random, nextId: () => `${String(number)}-${String(ids++)}` };
      while (!stop.aborted) {
        await tell(chosen(random), teller);
        await pace.next(random);
      }
    }),
  );
}

const allWeights = stories.reduce((sum, { weight }) => sum + weight, 0);

function chosen(random: () => number): Story {
  let left = random() * allWeights;
  const story = stories.find(({ weight }) => (left -= weight) < 0);
  if (story === undefined) throw new Error('There are no stories.');
  return story;
}

async function tell(story: Story, teller: Teller): Promise<void> {
  const tally = teller.ledger.tally(story.name);
  const began = performance.now();
  try {
    await story.tell(teller);
    tally.ended += 1;
    tally.durationsMs.push(performance.now() - began);
  } catch (error) {
    if (error instanceof StewardError && passing.has(error.status)) tally.givenUp += 1;
    else teller.ledger.violated(`${story.name} failed: ${textOf(error)}`);
  }
}

const textOf = (error: unknown): string =>
  error instanceof StewardError
    ? `${error.status} ${error.message} ${JSON.stringify(error.details)} (${error.requestId})`
    : String(error);
