import { createHash } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import {
  PostgresDialect,
  PostgresDriver,
  type DatabaseConnection,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
} from 'kysely';
import { Client, Pool, type ClientConfig, type PoolClient, type PoolConfig, type QueryResult } from 'pg';
import { SharedLookUps } from './shared-look-ups.ts';
import { arrayLiteral } from './array-literal.ts';
import { classifyDatabaseError, isStaleStatement, LostTransaction, SwallowedFailure } from './failures.ts';

/** Time limits of connecting, in milliseconds. */
const limits = {
  /** Until the server accepts a connection: beyond it, it counts as away. */
  connect: 1_500,
  /** In the queue of the pool. */
  queue: 10_000,
} as const;

/** The pool's own limit is for waiting in its queue; a server that does not respond is told sooner. */
class QuickClient extends Client {
  constructor(config: ClientConfig) {
    super({ ...config, password: config.password, connectionTimeoutMillis: limits.connect });
  }
}

/**
 * A pool of pipelined connections. A connection that ends while it is idle is replaced at the next use: `onWarning` receives
 * what the driver reports of it. Opens no connection by itself.
 */
export function openPool(config: PoolConfig, onWarning: (message: string) => void): Pool {
  const pool = new Pool({
    ...config,
    Client: QuickClient,
    pipeline: true,
    connectionTimeoutMillis: limits.queue,
  } as unknown as PoolConfig);
  const warn = ({ message }: Error): void => onWarning(message);
  // Without listeners, a dropped connection would end the process.
  pool.on('error', warn);
  pool.on('connect', (client) => void client.on('error', warn));
  return pool;
}

/**
 * Kysely's PostgreSQL over such a pool, for MikroORM's `driverOptions`. It sends statements with parameters as named ones,
 * sends `begin` without waiting, fails where a commit was none, and gives a connection up that can be of no more use.
 */
export class PipelinedDialect extends PostgresDialect {
  /** Beside Kysely, which waits for each statement before it sends the next. */
  readonly lookUps: SharedLookUps;
  readonly #pool: PostgresPool;

  constructor(pool: Pool) {
    const naming = asKyselyPool(pool);
    super({ pool: naming });
    this.#pool = naming;
    this.lookUps = new SharedLookUps(naming);
  }

  override createDriver(): PostgresDriver {
    return new PipelinedDriver({ pool: this.#pool });
  }
}

const asKyselyPool = (pool: Pool): PostgresPool => ({
  options: pool.options,
  connect: async () => new NamingClient(pool, await pool.connect()),
  end: async () => pool.end(),
});

class PipelinedDriver extends PostgresDriver {
  /** Fails only with the connection, and then the statement behind it does too. */
  override async beginTransaction(
    connection: DatabaseConnection,
    settings: Parameters<PostgresDriver['beginTransaction']>[1],
  ): Promise<void> {
    void super.beginTransaction(connection, settings).catch(() => undefined);
    return Promise.resolve();
  }

  /** A failing rollback means a lost connection, which rolls back by itself. Thrown, it would keep its place in the pool for ever. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await super.rollbackTransaction(connection).catch(() => undefined);
  }
}

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

type Answer = QueryResult<Record<string, unknown>>;

const isBeginning = (text: string): boolean => text === 'begin' || text.startsWith('start transaction');

/** What Kysely takes from a pool, from `connect` to `release`. Statements may be sent before those before them have been answered. */
export class NamingClient implements PostgresPoolClient {
  readonly #pool: Pool;
  #client: PoolClient;
  /** `asked`: a beginning was sent. `begun`: the server has confirmed it, and must stay in a transaction from then on. */
  #transaction: 'none' | 'asked' | 'begun' = 'none';
  #useless: Error | undefined;
  #released = false;
  #replacing: Promise<void> | undefined;
  /** Of a statement, in this transaction. */
  #failure: Error | undefined;

  constructor(pool: Pool, client: PoolClient) {
    this.#pool = pool;
    this.#client = client;
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

  async #command(text: string): Promise<Answer> {
    if (isBeginning(text)) return this.#begin(text);
    if (text === 'rollback') return this.#rollback();
    const result = await this.#send(() => this.#client.query(text));
    if (text === 'commit') {
      this.#transaction = 'none';
      // PostgreSQL ends a transaction in which a statement has failed so, and says nothing else of it.
      if (result.command !== 'COMMIT') throw new SwallowedFailure();
    }
    return result;
  }

  async #begin(text: string): Promise<Answer> {
    this.#transaction = 'asked';
    this.#failure = undefined;
    const result = await this.#client.query(text);
    if (this.#transaction === 'asked') this.#transaction = 'begun';
    return result;
  }

  async #rollback(): Promise<Answer> {
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

  async #named(text: string, parameters: readonly unknown[]): Promise<Answer> {
    const values = parameters.map((value) => (Array.isArray(value) ? arrayLiteral(value) : value));
    const name = nameOf(text);
    const named = name === undefined ? { text, values } : { name, text, values };
    const send = async (): Promise<Answer> => await this.#send(() => this.#client.query(named));
    const client = this.#client;
    try {
      return await send();
    } catch (error) {
      if (!isStaleStatement(error)) throw error;
      if (this.#transaction !== 'none') {
        this.#useless = error as Error;
        throw error;
      }
      await this.#replace(client, error as Error);
      return send();
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

  async #send<Result>(query: () => Promise<Result>): Promise<Result> {
    this.#mustBeWithin();
    try {
      return await query();
    } catch (error) {
      this.#failure = error as Error;
      // The connection may not have noticed yet: the next one to take it would fail too.
      if (classifyDatabaseError(error) === 'unavailable') this.#useless = this.#failure;
      throw error;
    }
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
