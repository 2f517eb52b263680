import { MikroORM, type EntityManager, type EntitySchema, type EntityClass } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { onAnyConnection, Transaction, type Executor } from './executor.ts';
import { classifyDatabaseError } from './failures.ts';
import { PreparingClient } from './preparing-client.ts';
import { SharingExecutor } from './sharing-executor.ts';

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
  let pool: Pool | undefined;
  const orm = new MikroORM({
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
      onPoolCreated: (created: Pool) => (pool = created),
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
  const connection = orm.em.getConnection();
  // Makes the pool; connections are made when they are needed.
  connection.getClient();
  if (pool === undefined) throw new Error('MikroORM made no pool of connections.');
  pools.set(connection, { pool, single: onAnyConnection(pool), sharing: new SharingExecutor(pool) });
  return closingPool(orm, pool);
}

/** Kysely ends the pool only if it has had a statement of its own to run; a connection left open would keep the process. */
function closingPool(orm: Orm, pool: Pool): Orm {
  const close = orm.close.bind(orm);
  orm.close = async (force) => {
    await close(force);
    if (!pool.ending) await pool.end();
  };
  return orm;
}

/** By MikroORM's connection, which all entity managers of one database share. */
const pools = new WeakMap<object, Connections>();

interface Connections {
  readonly pool: Pool;
  readonly single: Executor;
  readonly sharing: Executor;
}

function connectionsOf(em: EntityManager): Connections {
  const known = pools.get(em.getConnection());
  if (known === undefined) throw new Error('An entity manager of no database.');
  return known;
}

/** The entity manager's transaction; where there is none, a connection for each statement, or a share of one. */
export const executorOf = (em: EntityManager, without: 'single' | 'sharing'): Executor =>
  em.getTransactionContext<Executor>() ?? connectionsOf(em)[without];

/**
 * Leaves it to the commit to wait for `sent`, whose statements have all been sent by now and whose result nobody needs: the
 * commit follows in their packet, and the transaction fails as `sent` does.
 */
export function leaveToCommit(em: EntityManager, sent: Promise<unknown>): void {
  const transaction = em.getTransactionContext<Transaction>();
  if (transaction === undefined) throw new Error('There is no transaction to leave it to.');
  transaction.leave(sent);
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
 * Entities live as long as the transaction: nothing is kept from one call to the next. `settings`: of `Transaction`.
 */
export async function inTransaction<Result>(
  orm: Orm,
  work: (em: EntityManager) => Promise<Result>,
  settings?: string,
): Promise<Result> {
  const committed: (() => void)[] = [];
  const act = async (em: EntityManager, transaction: Transaction): Promise<Result> => {
    waiting.set(transaction, committed);
    const worked = await work(em);
    await em.flush();
    return worked;
  };
  const result = await transacted(orm.em, act, settings);
  for (const action of committed) action();
  return result;
}

/** One transaction, with an entity manager of its own that is not flushed. Gives the connection back however it ends. */
export async function transacted<Result>(
  of: EntityManager,
  work: (em: EntityManager, transaction: Transaction) => Promise<Result>,
  settings?: string,
): Promise<Result> {
  const client = await connectionsOf(of).pool.connect();
  const transaction = new Transaction(client, settings);
  let useless: Error | undefined;
  try {
    const em = of.fork();
    em.setTransactionContext(transaction);
    const result = await work(em, transaction);
    await transaction.commit();
    return result;
  } catch (error) {
    // A failing rollback means a lost connection, which rolls back by itself; the first error is the one to tell, unless it
    // is a limit that ran out while this process stalled, before PostgreSQL ended the session.
    useless = await transaction.rollback();
    const cause = transaction.causeOf(error);
    throw useless !== undefined && classifyDatabaseError(cause) === 'timeout' ? useless : cause;
  } finally {
    client.release(useless);
  }
}
