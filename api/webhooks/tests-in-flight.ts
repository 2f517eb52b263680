import { DomainError } from '../../domain/errors.ts';

/** Per key and process: each test holds a connection for up to 15 seconds. */
const maxConcurrentTests = 10;

/** Limits the connections that tests of one key hold. */
export class TestsInFlight {
  readonly #running = new Map<string, number>();

  /** Throws RESOURCE_EXHAUSTED when the key's limit is reached. */
  async run<Result>(tenantId: string, test: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(tenantId) ?? 0;
    if (running >= maxConcurrentTests) {
      const message = `An API key may run at most ${String(maxConcurrentTests)} tests at a time.`;
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
