/** Work that may pause at each yield. It must yield often: the code between two yields blocks the process. */
export type Pausable<Result> = Generator<undefined, Result, undefined>;

/** Max milliseconds that one piece of work blocks the event loop. */
const sliceMs = 4;

const waiting: (() => void)[] = [];

/**
 * Resolves after other requests were served. One paused generator resumes per event-loop iteration, in order, so that
 * ten of them delay a small request no longer than one.
 */
async function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(resumeNext);
  });
}

function resumeNext(): void {
  const resume = waiting.shift();
  if (waiting.length > 0) setImmediate(resumeNext);
  resume?.();
}

/** Runs `work` in slices of `sliceMs`; other requests are served between them. */
export async function inTurns<Result>(work: Pausable<Result>): Promise<Result> {
  let began = performance.now();
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (performance.now() - began >= sliceMs) {
      await nextTurn();
      began = performance.now();
    }
  }
}

/** Runs `work` without a pause, for small inputs. */
export function atOnce<Result>(work: Pausable<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Applies `act` to each item, and yields after each. */
export function* eachItem<Item, Result>(
  items: readonly Item[],
  act: (item: Item, index: number) => Result,
): Pausable<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    results.push(act(item, results.length));
    yield;
  }
  return results;
}
