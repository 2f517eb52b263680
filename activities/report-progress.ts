import { cancellationSignal, heartbeat } from '@temporalio/activity';

/** Sends a heartbeat with `details` between two chunks. Throws when the activity is canceled or the worker stops. */
export function reportProgress(details: unknown): void {
  heartbeat(details);
  cancellationSignal().throwIfAborted();
}

/** Max milliseconds of one call of an activity that works in turns, after which it yields to other jobs. */
export const turnMs = 5_000;

interface TurnOptions<Step> {
  readonly limitMs?: number;
  /** The details of a step's heartbeat; by default the number of steps so far. */
  readonly detailsOf?: (step: Step) => unknown;
}

/** Runs steps, and reports each, until their end or the first that ends after `limitMs`, which is `at`. */
export async function inOneTurn<Step>(
  steps: AsyncIterable<Step>,
  { limitMs = turnMs, detailsOf }: TurnOptions<Step> = {},
): Promise<{ readonly finished: true } | { readonly finished: false; readonly at: Step }> {
  const until = performance.now() + limitMs;
  let count = 0;
  for await (const at of steps) {
    count += 1;
    reportProgress(detailsOf === undefined ? count : detailsOf(at));
    if (performance.now() >= until) return { finished: false, at };
  }
  return { finished: true };
}

/** Runs steps to their end, and reports the progress that each yields. Returns their result. */
export async function reportingEach<Result>(steps: AsyncGenerator<unknown, Result>): Promise<Result> {
  for (;;) {
    const { done, value } = await steps.next();
    if (done === true) return value;
    reportProgress(value);
  }
}
