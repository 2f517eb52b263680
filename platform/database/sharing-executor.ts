import type { Pool, PoolClient } from 'pg';
import { execute, type Answer, type Executor, type Query } from './executor.ts';
import { classifyDatabaseError } from './failures.ts';
import { OnceAMoment } from './once-a-moment.ts';

/** Statements that one connection takes at a time: more wait for each other longer than they save. */
const mostTogether = 8;

/** A statement that has not been sent yet. */
interface Waiting {
  readonly query: Query;
  readonly resolve: (answer: Answer<object>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * For statements that always end at once: those that all requests have at one moment share connections, each of which takes
 * several in one packet, and what several ask alike is asked once. Under load a statement then costs both sides a part of
 * what its own way there and back would. An answer is never older than the question: nothing is kept of it.
 */
export class SharingExecutor implements Executor {
  readonly #pool: Pool;
  #waiting: Waiting[] = [];
  /** By statement: these are constant texts, and so are as many as there are in the code. */
  readonly #alike = new Map<string, OnceAMoment<Answer<object>>>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  executeQuery<Row extends object>(query: Query): Promise<Answer<Row>> {
    const identity = identityOf(query);
    const answer =
      identity === undefined
        ? this.#enqueue(query)
        : this.#alikeOf(query).ask(identity, async () => this.#enqueue(query));
    return answer as Promise<Answer<Row>>;
  }

  #alikeOf({ sql }: Query): OnceAMoment<Answer<object>> {
    const known = this.#alike.get(sql);
    if (known !== undefined) return known;
    const alike = new OnceAMoment<Answer<object>>();
    this.#alike.set(sql, alike);
    return alike;
  }

  #enqueue(query: Query): Promise<Answer<object>> {
    return new Promise((resolve, reject) => {
      // What else the sockets bring in this turn of the event loop comes before.
      if (this.#waiting.push({ query, resolve, reject }) === 1) setImmediate(() => this.#sendAll());
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
      for (const { reject } of together) reject(error);
      return;
    }
    let lost: Error | undefined;
    await Promise.all(
      together.map(({ query, resolve, reject }) =>
        execute(client, query).then(resolve, (error: unknown) => {
          // Its connection may not have noticed yet: the next one to take it would fail too.
          if (classifyDatabaseError(error) === 'unavailable') lost = error as Error;
          reject(error);
        }),
      ),
    );
    client.release(lost);
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
