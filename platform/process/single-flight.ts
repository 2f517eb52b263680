/*
 * Callers that share one run:
 * - `lazily`: one value, for as long as the process runs;
 * - `sharedCalls`: one run per key at a time;
 * - `boundedCheck` of `platform/health`: one run at a time, which the caller does not wait for without end;
 * - `LookupDeduplication` of `platform/database`: equal statements of one turn of the event loop.
 */

/** Creates the value at the first call. Concurrent callers share one run; after a failure, the next call retries. */
export function lazily<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/** Returns a function that runs a call by its key. Concurrent calls of one key share the result or failure of the first. */
export function sharedCalls<Result>(): (key: string, call: () => Promise<Result>) => Promise<Result> {
  const running = new Map<string, Promise<Result>>();
  return (key, call) => {
    const known = running.get(key);
    if (known !== undefined) return known;
    const result = call().finally(() => running.delete(key));
    running.set(key, result);
    return result;
  };
}
