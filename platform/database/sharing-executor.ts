import type { Pool, PoolClient } from 'pg';
import { execute, type Answer, type Executor, type Query } from './executor.ts';

/** Statements that one connection takes at a time: more wait for each other longer than they save. */
const mostTogether = 8;

interface Waiting {
  readonly sendOn: (client: PoolClient) => Promise<void>;
  readonly refuse: (error: unknown) => void;
}

/**
 * For statements that always end at once: those that all requests have at one moment share connections, each of which takes
 * several in one packet. Under load a statement then costs both sides a part of what its own way there and back would.
 */
export class SharingExecutor implements Executor {
  readonly #pool: Pool;
  #waiting: Waiting[] = [];

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  executeQuery<Row extends object>(query: Query): Promise<Answer<Row>> {
    return new Promise((resolve, reject) => {
      const sendOn = (client: PoolClient): Promise<void> => execute<Row>(client, query).then(resolve, reject);
      // What else the sockets bring in this turn of the event loop comes before.
      if (this.#waiting.push({ sendOn, refuse: reject }) === 1) setImmediate(() => this.#sendAll());
    });
  }

  #sendAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let from = 0; from < waiting.length; from += mostTogether) {
      void this.#send(waiting.slice(from, from + mostTogether));
    }
  }

  async #send(together: readonly Waiting[]): Promise<void> {
    let client: PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      for (const { refuse } of together) refuse(error);
      return;
    }
    await Promise.all(together.map(({ sendOn }) => sendOn(client)));
    client.release();
  }
}
