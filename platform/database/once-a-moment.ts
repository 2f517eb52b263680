/**
 * What several callers ask at one moment is asked once: who comes in the same turn of the event loop shares the answer,
 * or the failure. Nothing is kept longer, so no answer is older than the call that it is given to.
 */
export class OnceAMoment<Response> {
  #asked = new Map<string, Promise<Response>>();

  ask(key: string, question: () => Promise<Response>): Promise<Response> {
    const known = this.#asked.get(key);
    if (known !== undefined) return known;
    // Made anew, never cleared: V8 ties a cleared map to what it held, and keeps that until a full collection.
    if (this.#asked.size === 0) setImmediate(() => (this.#asked = new Map()));
    const response = question();
    this.#asked.set(key, response);
    return response;
  }
}
