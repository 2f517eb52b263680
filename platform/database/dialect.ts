import { PostgresDialect, PostgresDriver, type DatabaseConnection, type PostgresPool } from 'kysely';
import type { Pool } from 'pg';
import { NamingClient, type Sending } from './naming-client.ts';
import { SharedLookups } from './shared-lookups.ts';

/**
 * Kysely's PostgreSQL over a pool of `openPool`, for MikroORM's `driverOptions`. It sends statements with parameters as named ones,
 * sends `begin` without waiting, fails where a commit was none, and gives a connection up that can be of no more use.
 */
export class PipelinedDialect extends PostgresDialect {
  /** Beside Kysely, which waits for each statement before it sends the next. */
  readonly lookups: SharedLookups;
  readonly #pool: PostgresPool;

  constructor(pool: Pool, sending: Sending) {
    const naming = asKyselyPool(pool, sending);
    super({ pool: naming });
    this.#pool = naming;
    this.lookups = new SharedLookups(naming);
  }

  override createDriver(): PostgresDriver {
    return new PipelinedDriver({ pool: this.#pool });
  }
}

const asKyselyPool = (pool: Pool, sending: Sending): PostgresPool => ({
  options: pool.options,
  connect: async () => new NamingClient(pool, await pool.connect(), sending),
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
