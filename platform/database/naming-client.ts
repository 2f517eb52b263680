import { createHash } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import type { PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type { Pool, PoolClient, QueryResult } from 'pg';
import { arrayLiteral } from './array-literal.ts';
import { classifyDatabaseError, isStaleStatement, LostTransaction, SwallowedFailure } from './failures.ts';
import type { SessionSettings } from './session-settings.ts';

/** Names that a process gives to statements: a connection keeps each as long as it lives. */
const maxNames = 500;
const names = new Map<string, string>();

/** The same in all processes; undefined for the texts beyond `maxNames`. */
function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= maxNames) return known;
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 22);
  names.set(text, name);
  return name;
}

/** One statement or transaction command, as it is sent. */
export interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Publishes each `SentStatement` of this process. Costs nothing without a subscriber. */
export const sentStatements = channel('steward.database.statement');

/** How statements are sent. */
export interface Sending {
  readonly settings: Pick<SessionSettings, 'local'>;
  /** Whether statements with parameters are prepared by name. */
  readonly statementNames: boolean;
}

type Query = string | { readonly name?: string; readonly text: string; readonly values: unknown[] };

type Response = QueryResult<Record<string, unknown>>;

const isBeginning = (text: string): boolean => text === 'begin' || text.startsWith('start transaction');

/** What Kysely takes from a pool, from `connect` to `release`. Statements may be sent before those before them have been answered. */
export class NamingClient implements PostgresPoolClient {
  readonly #pool: Pool;
  readonly #sending: Sending;
  #client: PoolClient;
  /** `asked`: a beginning was sent. `begun`: the server has confirmed it, and must stay in a transaction from then on. */
  #transaction: 'none' | 'asked' | 'begun' = 'none';
  #useless: Error | undefined;
  #released = false;
  #replacing: Promise<void> | undefined;
  /** Of a statement, in this transaction. */
  #failure: Error | undefined;

  constructor(pool: Pool, client: PoolClient, sending: Sending) {
    this.#pool = pool;
    this.#client = client;
    this.#sending = sending;
  }

  release(): void {
    if (!this.#released) this.#client.release(this.#useless);
    this.#released = true;
  }

  query<Row>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>>;
  query(cursor: never): never;
  query(text: string, parameters: readonly unknown[] = []): unknown {
    if (sentStatements.hasSubscribers) {
      sentStatements.publish({ text, values: parameters } satisfies SentStatement);
    }
    return parameters.length === 0 ? this.#command(text) : this.#named(text, parameters);
  }

  async #command(text: string): Promise<Response> {
    if (isBeginning(text)) return this.#begin(text);
    if (text === 'rollback') return this.#rollback();
    const result = await this.#send(text);
    if (text === 'commit') {
      this.#transaction = 'none';
      // PostgreSQL ends a transaction in which a statement has failed so, and says nothing else of it.
      if (result.command !== 'COMMIT') throw new SwallowedFailure();
    }
    return result;
  }

  async #begin(text: string): Promise<Response> {
    this.#transaction = 'asked';
    this.#failure = undefined;
    const result = await this.#client.query(text + this.#sending.settings.local);
    if (this.#transaction === 'asked') this.#transaction = 'begun';
    return result;
  }

  async #rollback(): Promise<Response> {
    this.#transaction = 'none';
    try {
      return await this.#client.query('rollback');
    } catch (error) {
      this.#useless = error as Error;
      // A statement's limit may have run out because this process stalled, until PostgreSQL ended the session as well.
      if (this.#failure !== undefined) this.#failure.cause ??= error;
      throw error;
    }
  }

  async #named(text: string, parameters: readonly unknown[]): Promise<Response> {
    const values = parameters.map((value) => (Array.isArray(value) ? arrayLiteral(value) : value));
    const name = this.#sending.statementNames ? nameOf(text) : undefined;
    const named = name === undefined ? { text, values } : { name, text, values };
    const client = this.#client;
    try {
      return await this.#send(named);
    } catch (error) {
      if (!isStaleStatement(error)) throw error;
      if (this.#transaction !== 'none') {
        this.#useless = error as Error;
        throw error;
      }
      await this.#replace(client, error as Error);
      return this.#send(named);
    }
  }

  /**
   * The schema has changed since this connection prepared its statements, or a pooler took them: another one prepares them
   * anew. It is one connection, however many statements that were sent together ask for it.
   */
  async #replace(stale: PoolClient, cause: Error): Promise<void> {
    if (this.#client !== stale) return;
    this.#replacing ??= this.#connectAnew(cause).finally(() => (this.#replacing = undefined));
    await this.#replacing;
  }

  async #connectAnew(cause: Error): Promise<void> {
    this.#useless = cause;
    this.release();
    this.#client = await this.#pool.connect();
    this.#released = false;
    this.#useless = undefined;
  }

  async #send(query: Query): Promise<Response> {
    this.#mustBeWithin();
    try {
      return await (this.#transaction === 'none' ? this.#sendAlone(query) : this.#client.query(query));
    } catch (error) {
      this.#failure = error as Error;
      // The connection may not have noticed yet: the next one to take it would fail too.
      if (classifyDatabaseError(error) === 'unavailable') this.#useless = this.#failure;
      throw error;
    }
  }

  /** A statement without a transaction gets one of its own, in the same packet, where a session lacks its settings. */
  async #sendAlone(query: Query): Promise<Response> {
    const { local } = this.#sending.settings;
    if (local === '') return this.#client.query(query);
    const [begun, response, ended] = await Promise.allSettled([
      this.#client.query(`begin${local}`),
      this.#client.query<Record<string, unknown>>(query),
      this.#client.query('commit'),
    ]);
    for (const step of [begun, response, ended]) if (step.status === 'rejected') throw step.reason;
    return (response as PromiseFulfilledResult<Response>).value;
  }

  /**
   * A statement sent outside its transaction would be committed by itself. A session that PostgreSQL ended takes none; one
   * behind a pooler that was given another server connection, or whose transaction was ended by a statement, would.
   */
  #mustBeWithin(): void {
    if (this.#transaction === 'begun' && this.#client.getTransactionStatus() === 'I')
      throw new LostTransaction();
  }
}
