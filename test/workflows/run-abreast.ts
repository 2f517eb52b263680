/** Something that takes long and that one test is about. */
export type Scenario = readonly [name: string, run: () => Promise<void>];

/** Runs scenarios in their order, so many at once. Answers their ends by name: each is awaited by its own test. */
export function runAbreast(
  scenarios: readonly Scenario[],
  lanes: number,
): ReadonlyMap<string, Promise<void>> {
  const runs = new Map<string, Promise<void>>();
  const waitingLine = scenarios.map(([name, run]) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // Its test may not have begun to wait for it.
    promise.catch(() => undefined);
    runs.set(name, promise);
    return () => run().then(resolve, reject);
  });
  const lane = async (): Promise<void> => {
    for (let run = waitingLine.shift(); run !== undefined; run = waitingLine.shift()) await run();
  };
  for (let number = 0; number < lanes; number += 1) void lane();
  return runs;
}
