import { PostgresDialect, PostgresDriver, type DatabaseConnection, type PostgresPool } from 'kysely';
import type { Pool } from 'pg';
import { NamingClient, type Sending } from './naming-client.ts';
import { SharedLookups } from './shared-lookups.ts';

/**
 * Kysely's PostgreSQL dialect over a pool of `openPool`, for MikroORM's `driverOptions`. It names prepared statements, sends
 * `begin` without waiting, throws when a commit rolled back, and discards broken connections.
 */
export class PipelinedDialect extends PostgresDialect {
  /** Pipelines lookups; Kysely waits for each statement before it sends the next. */
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
  /** Fails only when the connection fails, and then the next statement fails as well. */
  override async beginTransaction(
    connection: DatabaseConnection,
    settings: Parameters<PostgresDriver['beginTransaction']>[1],
  ): Promise<void> {
    void super.beginTransaction(connection, settings).catch(() => undefined);
    return Promise.resolve();
  }

  /** Ignores errors: PostgreSQL rolls back a lost connection, and throwing here would leak the connection from the pool. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await super.rollbackTransaction(connection).catch(() => undefined);
  }
}
