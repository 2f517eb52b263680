import type { PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type { Pool, PoolClient, QueryResult } from 'pg';
import { arrayLiteral } from './array-literal.ts';
import { beginReadCommitted } from './begin-read-committed.ts';
import {
  classifyDatabaseError,
  isOutdatedStatement,
  isUnpreparedStatement,
  LostTransaction,
  SwallowedFailure,
} from './failures.ts';
import { sentStatements } from './sent-statements.ts';
import type { StatementNames } from './statement-names.ts';

/** How statements are sent. */
export interface StatementSending {
  /** `local`: see `SessionSettings`. */
  readonly settings: { readonly local: string };
  /** Whether statements outside a transaction use only the settings of their session; default `false`. */
  readonly plainOutside?: boolean;
  /** The named statements with parameters; undefined when statements have no names. */
  readonly names: StatementNames | undefined;
  /** Number of statements with parameters sent without a name. */
  unnamed: number;
}

type Query = string | { readonly name?: string; readonly text: string; readonly values: unknown[] };

type Response = QueryResult<Record<string, unknown>>;

const isBeginning = (text: string): boolean => text === 'begin' || text.startsWith('start transaction');

/**
 * A connection of the pool for Kysely, from `connect` to `release`. It
 *
 * - pipelines the statements that it receives together: in a transaction only `begin` and the next statement, because
 *   Kysely waits for each of the others before it sends the next;
 * - sends the settings that the session lacks, and names statements;
 * - throws when a commit rolled back, or when the session has left its transaction;
 * - replaces a connection that no longer knows its statements, and lets the pool discard a broken one.
 */
export class PooledConnection implements PostgresPoolClient {
  readonly #pool: Pool;
  readonly #sending: StatementSending;
  #client: PoolClient;
  /** `sent`: `begin` was sent. `begun`: the server confirmed it, and must report a transaction until the commit. */
  #transaction: 'none' | 'sent' | 'begun' = 'none';
  /** Set when the pool must discard the connection. */
  #broken: Error | undefined;
  /** False after `release`, and while a new connection replaces a stale one. */
  #connected = true;
  #released = false;
  readonly #onRelease: () => void;
  #replacing: Promise<void> | undefined;
  /** The last error of a statement in this transaction. */
  #failure: Error | undefined;

  /** `onRelease` is called once. */
  constructor(
    pool: Pool,
    client: PoolClient,
    sending: StatementSending,
    onRelease: () => void = () => undefined,
  ) {
    this.#pool = pool;
    this.#client = client;
    this.#sending = sending;
    this.#onRelease = onRelease;
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#disconnect();
    this.#onRelease();
  }

  #disconnect(): void {
    if (this.#connected) this.#client.release(this.#broken);
    this.#connected = false;
  }

  query<Row>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>>;
  query(cursor: never): never;
  query(text: string, parameters: readonly unknown[] = []): unknown {
    if (!sentStatements.hasSubscribers) return this.#query(text, parameters);
    const query = async (): Promise<Response> => this.#query(text, parameters);
    return sentStatements.tracePromise(query, { text, values: parameters, connection: this });
  }

  #query(text: string, parameters: readonly unknown[]): Promise<Response> {
    return parameters.length === 0 ? this.#command(text) : this.#named(text, parameters);
  }

  async #command(text: string): Promise<Response> {
    if (isBeginning(text)) return this.#begin(text);
    if (text === 'rollback') return this.#rollback();
    const result = await this.#send(text);
    if (text === 'commit') {
      this.#transaction = 'none';
      // PostgreSQL reports the rollback of a failed transaction only in the command tag.
      if (result.command !== 'COMMIT') throw new SwallowedFailure();
    }
    return result;
  }

  async #begin(text: string): Promise<Response> {
    this.#transaction = 'sent';
    this.#failure = undefined;
    try {
      const { local } = this.#sending.settings;
      return await this.#client.query(text === 'begin' ? beginReadCommitted(local) : text + local);
    } finally {
      // Even if it fails, so that no later statement commits by itself.
      if (this.#transaction === 'sent') this.#transaction = 'begun';
    }
  }

  async #rollback(): Promise<Response> {
    this.#transaction = 'none';
    try {
      return await this.#client.query('rollback');
    } catch (error) {
      this.#broken = error as Error;
      // When this process stalls, a statement times out and PostgreSQL ends the session: report both errors together.
      if (this.#failure !== undefined) this.#failure.cause ??= error;
      throw error;
    }
  }

  async #named(text: string, parameters: readonly unknown[]): Promise<Response> {
    const values = parameters.map((value) => (Array.isArray(value) ? arrayLiteral(value) : value));
    const { names } = this.#sending;
    const named = names?.of(text);
    if (names === undefined || named === undefined) {
      this.#sending.unnamed += 1;
      return this.#send({ text, values });
    }
    const client = this.#client;
    try {
      return await this.#send({ ...named, values });
    } catch (error) {
      const outdated = isOutdatedStatement(error);
      if (!outdated && !isUnpreparedStatement(error)) throw error;
      if (outdated) names.replaceOutdated(text, named);
      if (this.#transaction !== 'none') {
        if (!outdated) this.#broken = error as Error;
        throw error;
      }
      if (!outdated) await this.#replace(client, error as Error);
      return this.#send({ ...(names.of(text) ?? named), values });
    }
  }

  /**
   * Replaces a connection that disagrees with a pooler about which statements are prepared. Pipelined statements that fail
   * together share one replacement.
   */
  async #replace(stale: PoolClient, cause: Error): Promise<void> {
    if (this.#client !== stale) return;
    this.#replacing ??= this.#reconnect(cause).finally(() => (this.#replacing = undefined));
    await this.#replacing;
  }

  async #reconnect(cause: Error): Promise<void> {
    this.#broken = cause;
    this.#disconnect();
    this.#client = await this.#pool.connect();
    this.#connected = true;
    this.#broken = undefined;
  }

  async #send(query: Query): Promise<Response> {
    this.#assertInTransaction();
    try {
      return await (this.#transaction === 'none' ? this.#sendAlone(query) : this.#client.query(query));
    } catch (error) {
      this.#failure = error as Error;
      // The pool may not have noticed yet, and would reuse the connection.
      if (classifyDatabaseError(error) === 'unavailable') this.#broken = this.#failure;
      throw error;
    }
  }

  /** When sessions lack settings, wraps the statement in a transaction that sets them, in the same packet. */
  async #sendAlone(query: Query): Promise<Response> {
    const { settings, plainOutside = false } = this.#sending;
    const { local } = settings;
    if (local === '' || plainOutside) return this.#client.query(query);
    const [begun, response, ended] = await Promise.allSettled([
      this.#client.query(beginReadCommitted(local)),
      this.#client.query<Record<string, unknown>>(query),
      this.#client.query('commit'),
    ]);
    for (const step of [begun, response, ended]) if (step.status === 'rejected') throw step.reason;
    return (response as PromiseFulfilledResult<Response>).value;
  }

  /**
   * Throws when the session left its transaction: a statement sent then would commit by itself. Happens behind a pooler
   * that switched server connections, or when a statement ended the transaction.
   */
  #assertInTransaction(): void {
    if (this.#transaction === 'begun' && this.#client.getTransactionStatus() === 'I')
      throw new LostTransaction();
  }
}
