import { createPostgreSqlTypeParsers, MikroORM, type EntityManager } from '@mikro-orm/postgresql';
import type { EntityClass, EntitySchema, EventSubscriber } from '@mikro-orm/postgresql';
import { TypeOverrides, types as pgTypes } from 'pg';
import array from 'postgres-array';
import { openPool, PipelinedDialect } from './dialect.ts';

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

/** Connections keep the plans of their statements: one made while a table is small must not read it whole for ever. */
const byIndex = '-c enable_seqscan=off';

function plannerOptions(plansOnce: boolean): string {
  return plansOnce ? `${byIndex} -c plan_cache_mode=force_generic_plan` : byIndex;
}

/** The database as one process uses it. */
export interface Database {
  readonly orm: Orm;
  /** Waits for statements under way. */
  close(): Promise<void>;
}

/** Opens no connection yet: an API must start, and say so, while the database is away. */
export function openDatabase(options: DatabaseOptions): Database {
  const { url, poolSize, statementTimeout, plansOnce, entities, onWarning = () => undefined } = options;
  const pool = openPool(
    {
      connectionString: url,
      max: poolSize,
      idleTimeoutMillis: 30_000,
      statement_timeout: statementTimeout,
      query_timeout: statementTimeout + 2_000,
      idle_in_transaction_session_timeout: 30_000,
      keepAlive: true,
      application_name: 'steward',
      options: plannerOptions(plansOnce),
      types: typeParsers(),
    },
    onWarning,
  );
  const orm = new MikroORM({
    clientUrl: url,
    entities: [...entities] as EntitySchema[],
    driverOptions: new PipelinedDialect(pool),
    allowGlobalContext: false,
    // Else the first write looks for its database through a second connection, for which a pool of one waits in vain.
    ensureDatabase: false,
    forceUtcTimezone: true,
    discovery: { warnWhenNoEntities: false, checkDuplicateFieldNames: true },
    logger: onWarning,
    colors: false,
  });
  return {
    orm,
    close: async () => {
      await orm.close();
      // Kysely has ended the pool if a statement went through it; look-ups do not.
      if (!pool.ended) await pool.end();
    },
  };
}

/**
 * What the entities declare: `bigint` arrives as text, `timestamptz` as a `Date`. The rest is as MikroORM has it.
 */
function typeParsers(): TypeOverrides {
  const types = new TypeOverrides();
  for (const [type, parse] of Object.entries(
    createPostgreSqlTypeParsers((text) => array.parse(text, String)),
  ))
    types.setTypeParser(Number(type), parse);
  types.setTypeParser(pgTypes.builtins.TIMESTAMPTZ, (text) => new Date(text));
  return types;
}

/** What waits for the commit of one transaction. */
class CommitActions implements EventSubscriber {
  #actions: (() => void)[] = [];

  add(action: () => void): void {
    this.#actions.push(action);
  }

  /** What was registered is not done: its writes were taken back. */
  forget(): void {
    this.#actions = [];
  }

  afterTransactionCommit(): Promise<void> {
    for (const action of this.#actions) action();
    return Promise.resolve();
  }
}

/** Each transaction has its own: MikroORM gives it an event manager of its own. */
const commitActionsOf = (em: EntityManager): CommitActions | undefined =>
  [...em.getEventManager().getSubscribers()].find((subscriber) => subscriber instanceof CommitActions);

/** Runs `action` once the transaction of `em` has committed, and never otherwise; at once when there is none. It must not throw. */
export function afterCommit(em: EntityManager, action: () => void): void {
  const actions = commitActionsOf(em);
  if (actions === undefined) action();
  else actions.add(action);
}

/** Forgets what `afterCommit` was told in this transaction. */
export const forgetCommitActions = (em: EntityManager): void => commitActionsOf(em)?.forget();

/** PostgreSQL's settings by their names, for one transaction alone. */
export type LocalSettings = Readonly<Record<string, string>>;

/**
 * Runs `work` in one transaction with an entity manager of its own; entities are flushed before the commit.
 * Entities live as long as the transaction: nothing is kept from one call to the next.
 */
export async function inTransaction<Result>(
  { em }: { readonly em: EntityManager },
  work: (em: EntityManager) => Promise<Result>,
  settings?: LocalSettings,
): Promise<Result> {
  return em.fork().transactional(
    async (own) => {
      own.getEventManager().registerSubscriber(new CommitActions());
      return work(own);
    },
    settings === undefined ? {} : { sessionContext: { variables: { ...settings } } },
  );
}
