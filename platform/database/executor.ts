import type { ClientBase, Pool, PoolClient } from 'pg';

export interface Query {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

export interface Answer<Row> {
  readonly rows: Row[];
  /** Absent where a statement changes no rows. */
  readonly numAffectedRows?: bigint;
}

/** Where statements run. Of Kysely's instances, which MikroORM works with, it is the part that MikroORM calls. */
export interface Executor {
  executeQuery<Row extends object>(query: Query): Promise<Answer<Row>>;
}

const changing = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

export async function execute<Row extends object>(
  client: Pick<ClientBase, 'query'>,
  { sql, parameters }: Query,
): Promise<Answer<Row>> {
  const { command, rowCount, rows } = await client.query<Row>(sql, parameters as unknown[]);
  return changing.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows };
}

/** Each statement by itself, on whatever connection is free. */
export const onAnyConnection = (pool: Pool): Executor => ({
  executeQuery: (query) => execute(pool, query),
});

/** The transaction ended before its commit, without a word: nothing of it was written. Classified as `unavailable`. */
class LostTransaction extends Error {
  override readonly name = 'LostTransaction';
  /** SQLSTATE no_active_sql_transaction. */
  readonly code = '25P01';

  constructor() {
    super('The database session is no longer in its transaction.');
  }
}

/** Statements of one transaction. It begins with the first of them, in the same packet; without one there is none. */
export class Transaction implements Executor {
  readonly #client: PoolClient;
  readonly #beginning: string;
  readonly #left: Promise<unknown>[] = [];
  #begun = false;
  /** The server has confirmed the beginning: from then on, the session must be in a transaction. */
  #confirmed = false;
  #failure: { readonly error: unknown } | undefined;

  /** `settings`: the command of settings for this transaction alone, which goes along with its beginning. */
  constructor(client: PoolClient, settings?: string) {
    this.#client = client;
    this.#beginning = settings === undefined ? 'begin' : `begin; ${settings}`;
  }

  executeQuery<Row extends object>(query: Query): Promise<Answer<Row>> {
    if (this.#lost()) return Promise.reject(new LostTransaction());
    this.#begin();
    return execute(this.#client, query);
  }

  #begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    this.#client.query(this.#beginning).then(
      () => (this.#confirmed = true),
      // Fails only with the connection, and then the statement behind it does too.
      () => undefined,
    );
  }

  /**
   * A statement sent outside its transaction would be committed by itself. A session that PostgreSQL ended takes none; one
   * behind a pooler that was given another server connection, or whose transaction was ended by a statement, would.
   */
  #lost(): boolean {
    return this.#confirmed && this.#client.getTransactionStatus() === 'I';
  }

  /** See `leaveToCommit`. */
  leave(sent: Promise<unknown>): void {
    this.#left.push(sent);
    sent.catch((error: unknown) => (this.#failure ??= { error }));
  }

  async commit(): Promise<void> {
    if (!this.#begun) return;
    if (this.#lost()) throw new LostTransaction();
    const [{ command }] = await Promise.all([this.#client.query('commit'), ...this.#left]);
    if (command !== 'COMMIT') throw new Error('A statement had failed: the transaction was rolled back.');
  }

  /** What to tell of a failure: what was left to the commit failed before, and everything after it for its sake. */
  causeOf(error: unknown): unknown {
    return this.#failure === undefined ? error : this.#failure.error;
  }

  /** Answers the error for which the connection is of no more use. */
  async rollback(): Promise<Error | undefined> {
    if (!this.#begun) return undefined;
    try {
      await this.#client.query('rollback');
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }
}
