import { PostgresDialect, PostgresDriver, type DatabaseConnection, type PostgresPool } from 'kysely';
import type { Pool } from 'pg';
import { ConnectionShares } from './connection-shares.ts';
import { PooledConnection, type StatementSending } from './pooled-connection.ts';
import { queueTimeoutMs } from './pool.ts';
import { SharedLookups } from './shared-lookups.ts';

/**
 * Kysely's PostgreSQL dialect over a pool of `openPool`, for MikroORM's `driverOptions`. It names prepared statements, sends
 * `begin` without waiting, throws when a commit rolled back, and discards broken connections.
 */
export class PipelinedDialect extends PostgresDialect {
  /** Pipelines lookups; Kysely waits for each statement before it sends the next. */
  readonly lookups: SharedLookups;
  readonly #shares: ConnectionShares;
  readonly #pool: PostgresPool;

  constructor(pool: Pool, sending: StatementSending) {
    const shares = new ConnectionShares({ poolSize: pool.options.max, maxWaitMs: queueTimeoutMs });
    const shared = asKyselyPool(pool, sending, shares);
    super({ pool: shared });
    this.#pool = shared;
    this.#shares = shares;
    // A lookup serves calls of all owners, and ends quickly.
    this.lookups = new SharedLookups({
      connect: async () => new PooledConnection(pool, await pool.connect(), sending),
    });
  }

  /** Statements and transactions that wait for their owner's share of the pool. */
  get waiting(): number {
    return this.#shares.waiting;
  }

  override createDriver(): PostgresDriver {
    return new PipelinedDriver({ pool: this.#pool });
  }
}

function asKyselyPool(pool: Pool, sending: StatementSending, shares: ConnectionShares): PostgresPool {
  return {
    options: pool.options,
    async connect() {
      const release = await shares.take();
      try {
        return new PooledConnection(pool, await pool.connect(), sending, release);
      } catch (error) {
        release();
        throw error;
      }
    },
    end: async () => pool.end(),
  };
}

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
