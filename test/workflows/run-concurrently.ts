/** A long scenario that one test awaits. */
export type Scenario = readonly [name: string, run: () => Promise<void>];

/** Runs scenarios in order, at most `limit` concurrently. Returns their promises by name, of which each test awaits its own. */
export function runConcurrently(
  scenarios: readonly Scenario[],
  limit: number,
): ReadonlyMap<string, Promise<void>> {
  const runs = new Map<string, Promise<void>>();
  const waitingLine = scenarios.map(([name, run]) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // Its test may not await it yet.
    promise.catch(() => undefined);
    runs.set(name, promise);
    return () => run().then(resolve, reject);
  });
  const lane = async (): Promise<void> => {
    for (let run = waitingLine.shift(); run !== undefined; run = waitingLine.shift()) await run();
  };
  for (let number = 0; number < limit; number += 1) void lane();
  return runs;
}
