import { DomainError } from '../../domain/errors.ts';

/** Tests that a key may have under way in one process: each holds a connection for up to 15 seconds. */
const maxAtOnce = 10;

/** Keeps a key from holding connections that others need. */
export class TestsUnderWay {
  readonly #running = new Map<string, number>();

  /** Runs a test of a key, or throws RESOURCE_EXHAUSTED when too many of it are running. */
  async run<Result>(tenantId: string, test: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(tenantId) ?? 0;
    if (running >= maxAtOnce) {
      const message = `An API key may have ${String(maxAtOnce)} tests under way.`;
      throw new DomainError('RESOURCE_EXHAUSTED', message);
    }
    this.#running.set(tenantId, running + 1);
    try {
      return await test();
    } finally {
      const left = (this.#running.get(tenantId) ?? 1) - 1;
      if (left === 0) this.#running.delete(tenantId);
      else this.#running.set(tenantId, left);
    }
  }
}
