import { AsyncLocalStorage } from 'node:async_hooks';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import { LookupDeduplication } from './lookup-deduplication.ts';
import { sentStatements } from './sent-statements.ts';

/** Max lookups per packet: in a larger batch, waiting for each other costs more than it saves. */
const maxBatch = 8;

/** A statement with a constant text. */
export interface Query {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** A lookup that has not been sent yet. */
interface Waiting {
  readonly query: Query;
  readonly resolve: (response: object[]) => void;
  readonly reject: (error: unknown) => void;
  /** Runs a function in the asynchronous context of the call; undefined while no statement is traced. */
  readonly inContext: (<Result>(act: () => Result) => Result) | undefined;
}

/**
 * Batches the lookups of concurrent requests, several in one packet per connection, and deduplicates identical ones issued
 * in the same event-loop turn. Only for statements that end quickly. Results are not cached: none is older than its call.
 * Without shared connections, reads by id fall from 1.02 to 0.91 of the baseline (docs/benchmarks.md).
 */
export class SharedLookups {
  readonly #pool: Pick<PostgresPool, 'connect'>;
  #waiting: Waiting[] = [];
  /** By statement; bounded, because statement texts are constants of the code. */
  readonly #deduplications = new Map<string, LookupDeduplication<object[]>>();

  constructor(pool: Pick<PostgresPool, 'connect'>) {
    this.#pool = pool;
  }

  rows<Row extends object>(query: Query): Promise<Row[]> {
    const identity = identityOf(query);
    const response =
      identity === undefined
        ? this.#enqueue(query)
        : this.#deduplicationOf(query).run(identity, async () => this.#enqueue(query));
    return response as Promise<Row[]>;
  }

  #deduplicationOf({ sql }: Query): LookupDeduplication<object[]> {
    const known = this.#deduplications.get(sql);
    if (known !== undefined) return known;
    const created = new LookupDeduplication<object[]>();
    this.#deduplications.set(sql, created);
    return created;
  }

  #enqueue(query: Query): Promise<object[]> {
    return new Promise((resolve, reject) => {
      // Waits for the lookups of the other requests of this event-loop turn.
      const inContext = sentStatements.hasSubscribers ? AsyncLocalStorage.snapshot() : undefined;
      if (this.#waiting.push({ query, resolve, reject, inContext }) === 1)
        setImmediate(() => this.#sendAll());
    });
  }

  #sendAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let from = 0; from < waiting.length; from += maxBatch) {
      void this.#send(waiting.slice(from, from + maxBatch));
    }
  }

  async #send(batch: readonly Waiting[]): Promise<void> {
    let client: PostgresPoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      for (const { reject } of batch) reject(error);
      return;
    }
    await Promise.all(
      batch.map(({ query: { sql, parameters }, resolve, reject, inContext = (act) => act() }) =>
        inContext(() => client.query<object>(sql, parameters)).then(({ rows }) => resolve(rows), reject),
      ),
    );
    client.release();
  }
}

/** Lookups of one statement with the same identity are deduplicated; undefined when comparing costs more than the lookup. */
function identityOf({ parameters }: Query): string | undefined {
  let identity = '';
  for (const parameter of parameters) {
    if (typeof parameter === 'string') identity += `\n${JSON.stringify(parameter)}`;
    else if (Buffer.isBuffer(parameter)) identity += `\n${parameter.toString('hex')}`;
    else return undefined;
  }
  return identity;
}
