import { createPostgreSqlTypeParsers, MikroORM } from '@mikro-orm/postgresql';
import type { EntityClass, EntitySchema } from '@mikro-orm/postgresql';
import { TypeOverrides, types as pgTypes } from 'pg';
import array from 'postgres-array';
import { PipelinedDialect } from './dialect.ts';
import type { Announcement, Orm } from './orm.ts';
import { plannerOfRole, plannerOfWork } from './planner.ts';
import { openPool } from './pool.ts';
import { roleSettings } from './role-settings.ts';
import { SessionSettings, type MissingSettings } from './session-settings.ts';

export interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  /** Milliseconds after which PostgreSQL gives up a statement. */
  readonly statementTimeout: number;
  /** For many short statements: each is planned once a connection, whatever values it is sent with later. */
  readonly plansOnce: boolean;
  readonly entities: readonly (EntitySchema | EntityClass<unknown>)[];
  /** Whether statements are prepared by name, `true` unless said. A pooler that does not follow names needs `false`. */
  readonly statementNames?: boolean;
  /** Receives what the driver reports of connections that broke while idle. */
  readonly onWarning?: (message: string) => void;
  /** Called after each commit with what the transaction announced; must neither throw nor take long. */
  readonly onAnnounced?: (announcement: Announcement) => void;
  /** Called once, where the role lacks settings that `migrate` gives it: each transaction sends them then. */
  readonly onMissingSettings?: (settings: MissingSettings) => void;
}

/** The database as one process uses it. */
export interface Database {
  readonly orm: Orm;
  /** Makes a connection if there is none, which checks the role's settings; resolves also while the database is away. */
  checkSettings(): Promise<void>;
  /** Waits for statements under way. */
  close(): Promise<void>;
}

/** Opens no connection yet: an API must start, and say so, while the database is away. */
export function openDatabase(options: DatabaseOptions): Database {
  const { url, poolSize, statementTimeout, plansOnce, entities } = options;
  const { statementNames = true, onWarning = () => undefined, onMissingSettings = () => undefined } = options;
  const settings = new SessionSettings(
    {
      ...roleSettings,
      ...(plansOnce ? plannerOfRole : plannerOfWork),
      statement_timeout: String(statementTimeout),
    },
    onMissingSettings,
  );
  const pool = openPool(
    {
      connectionString: url,
      max: poolSize,
      idleTimeoutMillis: 30_000,
      query_timeout: statementTimeout + 2_000,
      keepAlive: true,
      application_name: 'steward',
      types: typeParsers(),
    },
    onWarning,
    async (client) => settings.read(client),
  );
  const orm = new MikroORM({
    clientUrl: url,
    entities: [...entities] as EntitySchema[],
    driverOptions: new PipelinedDialect(pool, { settings, statementNames }),
    allowGlobalContext: false,
    // Else the first write looks for its database through a second connection, for which a pool of one waits in vain.
    ensureDatabase: false,
    forceUtcTimezone: true,
    discovery: { warnWhenNoEntities: false, checkDuplicateFieldNames: true },
    logger: onWarning,
    colors: false,
  });
  return {
    orm: { em: orm.em, onAnnounced: options.onAnnounced },
    checkSettings: async () =>
      pool.connect().then(
        (client) => client.release(),
        () => undefined,
      ),
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
