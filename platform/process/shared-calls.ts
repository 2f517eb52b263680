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
