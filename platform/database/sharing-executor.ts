import type { Pool, PoolClient } from 'pg';
import { execute, type Answer, type Executor, type Query } from './executor.ts';

/** Statements that one connection takes at a time: more wait for each other longer than they save. */
const mostTogether = 8;

interface Asker {
  readonly resolve: (answer: Answer<object>) => void;
  readonly reject: (error: unknown) => void;
}

/** A statement that has not been sent yet, and all who ask it. */
interface Waiting {
  readonly query: Query;
  readonly askers: Asker[];
}

/**
 * For statements that always end at once: those that all requests have at one moment share connections, each of which takes
 * several in one packet, and what several ask alike is asked once. Under load a statement then costs both sides a part of
 * what its own way there and back would. An answer is never older than the question: nothing is kept of it.
 */
export class SharingExecutor implements Executor {
  readonly #pool: Pool;
  #waiting: Waiting[] = [];
  /** By statement and `identityOf`. Made anew, never cleared: V8 ties a cleared map to what it held, and keeps that until a full collection. */
  #alike = new Map<string, Map<string, Waiting>>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  executeQuery<Row extends object>(query: Query): Promise<Answer<Row>> {
    return new Promise<Answer<Row>>((resolve, reject) => {
      this.#add(query, { resolve: resolve as Asker['resolve'], reject });
    });
  }

  #add(query: Query, asker: Asker): void {
    const identity = identityOf(query);
    const ofStatement = this.#alike.get(query.sql);
    const alike = identity === undefined ? undefined : ofStatement?.get(identity);
    if (alike !== undefined) {
      alike.askers.push(asker);
      return;
    }
    const waiting = { query, askers: [asker] };
    if (identity !== undefined) {
      if (ofStatement === undefined) this.#alike.set(query.sql, new Map([[identity, waiting]]));
      else ofStatement.set(identity, waiting);
    }
    // What else the sockets bring in this turn of the event loop comes before.
    if (this.#waiting.push(waiting) === 1) setImmediate(() => this.#sendAll());
  }

  #sendAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#alike = new Map();
    for (let from = 0; from < waiting.length; from += mostTogether) {
      void this.#send(waiting.slice(from, from + mostTogether));
    }
  }

  async #send(together: readonly Waiting[]): Promise<void> {
    let client: PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      for (const { askers } of together) for (const { reject } of askers) reject(error);
      return;
    }
    await Promise.all(together.map((waiting) => ask(client, waiting)));
    client.release();
  }
}

async function ask(client: PoolClient, { query, askers }: Waiting): Promise<void> {
  try {
    const answer = await execute(client, query);
    for (const { resolve } of askers) resolve(answer);
  } catch (error) {
    for (const { reject } of askers) reject(error);
  }
}

/** Questions of one statement that have the same are one question; undefined where comparing would cost more than asking. */
function identityOf({ parameters }: Query): string | undefined {
  let identity = '';
  for (const parameter of parameters) {
    if (typeof parameter === 'string') identity += `\n${JSON.stringify(parameter)}`;
    else if (Buffer.isBuffer(parameter)) identity += `\n${parameter.toString('hex')}`;
    else return undefined;
  }
  return identity;
}
