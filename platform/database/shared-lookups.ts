import type { PostgresPool, PostgresPoolClient } from 'kysely';
import { OnceAMoment } from './once-a-moment.ts';

/** Statements that one connection takes at a time: more wait for each other longer than they save. */
const maxTogether = 8;

/** A statement whose text holds no values. */
export interface Query {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** A statement that has not been sent yet. */
interface Waiting {
  readonly query: Query;
  readonly resolve: (response: object[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * For statements that always end at once: those that all requests have at one moment share connections, each of which takes
 * several in one packet, and what several ask alike is asked once. Under load a statement then costs both sides a part of
 * what its own way there and back would. An answer is never older than the question: nothing is kept of it.
 */
export class SharedLookups {
  readonly #pool: Pick<PostgresPool, 'connect'>;
  #waiting: Waiting[] = [];
  /** By statement: these are constant texts, and so are as many as there are in the code. */
  readonly #alike = new Map<string, OnceAMoment<object[]>>();

  constructor(pool: Pick<PostgresPool, 'connect'>) {
    this.#pool = pool;
  }

  rows<Row extends object>(query: Query): Promise<Row[]> {
    const identity = identityOf(query);
    const response =
      identity === undefined
        ? this.#enqueue(query)
        : this.#alikeOf(query).ask(identity, async () => this.#enqueue(query));
    return response as Promise<Row[]>;
  }

  #alikeOf({ sql }: Query): OnceAMoment<object[]> {
    const known = this.#alike.get(sql);
    if (known !== undefined) return known;
    const alike = new OnceAMoment<object[]>();
    this.#alike.set(sql, alike);
    return alike;
  }

  #enqueue(query: Query): Promise<object[]> {
    return new Promise((resolve, reject) => {
      // What else the sockets bring in this turn of the event loop comes before.
      if (this.#waiting.push({ query, resolve, reject }) === 1) setImmediate(() => this.#sendAll());
    });
  }

  #sendAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let from = 0; from < waiting.length; from += maxTogether) {
      void this.#send(waiting.slice(from, from + maxTogether));
    }
  }

  async #send(together: readonly Waiting[]): Promise<void> {
    let client: PostgresPoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      for (const { reject } of together) reject(error);
      return;
    }
    await Promise.all(
      together.map(({ query, resolve, reject }) =>
        client.query<object>(query.sql, query.parameters).then(({ rows }) => resolve(rows), reject),
      ),
    );
    client.release();
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
