/**
 * Deduplicates identical lookups issued in the same event-loop turn: they share one result or failure. Results are not
 * cached, so none is older than its call. Without it, reads by id fall from 1.02 to 0.87 of the baseline (docs/benchmarks.md).
 */
export class LookupDeduplication<Response> {
  #running = new Map<string, Promise<Response>>();

  run(key: string, lookup: () => Promise<Response>): Promise<Response> {
    const known = this.#running.get(key);
    if (known !== undefined) return known;
    // Replaced, not cleared: V8 keeps the results of a cleared map until the next full GC.
    if (this.#running.size === 0) setImmediate(() => (this.#running = new Map()));
    const response = lookup();
    this.#running.set(key, response);
    return response;
  }
}
