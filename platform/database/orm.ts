import { MikroORM, type EntityManager, type EntitySchema, type EntityClass } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import { PreparingClient } from './preparing-client.ts';

export type { EntityManager } from '@mikro-orm/postgresql';
export type Orm = MikroORM;

export interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  /** Milliseconds after which PostgreSQL gives up a statement. */
  readonly statementTimeout: number;
  /** For many short statements: each is planned once a connection, whatever values it is sent with later. */
  readonly plansOnce: boolean;
  readonly entities: readonly (EntitySchema | EntityClass<unknown>)[];
  /** Receives what the driver reports of connections that broke while idle. */
  readonly onWarning?: (message: string) => void;
}

/** Longest wait for a free connection of the pool, in milliseconds. */
const queueTimeout = 10_000;

/** Connections keep the plans of their statements: one made while a table is small must not read it whole for ever. */
const byIndex = '-c enable_seqscan=off';

function plannerOptions(plansOnce: boolean): string {
  return plansOnce ? `${byIndex} -c plan_cache_mode=force_generic_plan` : byIndex;
}

/** Opens no connection yet: an API must start, and say so, while the database is away. */
export function openDatabase(options: DatabaseOptions): Orm {
  return new MikroORM({
    clientUrl: options.url,
    entities: [...options.entities] as EntitySchema[],
    driverOptions: {
      Client: PreparingClient,
      connectionTimeoutMillis: queueTimeout,
      statement_timeout: options.statementTimeout,
      query_timeout: options.statementTimeout + 2_000,
      idle_in_transaction_session_timeout: 30_000,
      keepAlive: true,
      application_name: 'steward',
      options: plannerOptions(options.plansOnce),
    },
    pool: { min: 0, max: options.poolSize, idleTimeoutMillis: 30_000 },
    allowGlobalContext: false,
    // Else the first write looks for its database through a second connection, for which a pool of one waits in vain.
    ensureDatabase: false,
    forceUtcTimezone: true,
    discovery: { warnWhenNoEntities: false, checkDuplicateFieldNames: true },
    logger: (message) => options.onWarning?.(message),
    colors: false,
  });
}

/** By transaction: what waits for its commit. */
const waiting = new WeakMap<object, (() => void)[]>();

/** Runs `action` once the transaction of `em` has committed, and never otherwise; at once when there is none. */
export function afterCommit(em: EntityManager, action: () => void): void {
  const actions = waiting.get(em.getTransactionContext<object>() ?? em);
  if (actions === undefined) action();
  else actions.push(action);
}

/**
 * Runs `work` in one transaction with an entity manager of its own; entities are flushed before the commit.
 * Entities live as long as the transaction: nothing is kept from one call to the next.
 */
export async function inTransaction<Result>(
  orm: Orm,
  work: (em: EntityManager) => Promise<Result>,
): Promise<Result> {
  let first: { readonly error: unknown } | undefined;
  const committed: (() => void)[] = [];
  try {
    // Gives the connection back however it ends; one that MikroORM begins is kept for ever when its rollback fails.
    const client: Kysely<unknown> = orm.em.getConnection().getClient();
    const result = await client.transaction().execute(async (transaction) => {
      try {
        const em = orm.em.fork();
        em.setTransactionContext(transaction);
        waiting.set(transaction, committed);
        const worked = await work(em);
        await em.flush();
        return worked;
      } catch (error) {
        first = { error };
        throw error;
      }
    });
    for (const action of committed) action();
    return result;
  } catch (error) {
    // A failing rollback means a lost connection, which rolls back by itself; the first error is the one to tell.
    throw first === undefined ? error : first.error;
  }
}
