import { createPostgreSqlTypeParsers, MikroORM } from '@mikro-orm/postgresql';
import type { EntityClass, EntitySchema } from '@mikro-orm/postgresql';
import { TypeOverrides, types as pgTypes, type Pool } from 'pg';
import array from 'postgres-array';
import { within } from '../process/within.ts';
import { PipelinedDialect } from './dialect.ts';
import type { StatementSending } from './pooled-connection.ts';
import type { Announcement, Orm } from './orm.ts';
import { rolePlannerSettings, workerPlannerSettings } from './planner.ts';
import { pendingMigrations } from './pending-migrations.ts';
import { openPool } from './pool.ts';
import { probe, type ProbeStatement } from './probe.ts';
import { roleSettings } from './role-settings.ts';
import { SessionSettings, type MissingSettings } from './session-settings.ts';
import { StatementNames } from './statement-names.ts';

export interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  /** Time after which PostgreSQL cancels a statement. */
  readonly statementTimeoutMs: number;
  /** Whether each connection plans a statement once for all values; use it for short, frequent statements. */
  readonly plansOnce: boolean;
  readonly entities: readonly (EntitySchema | EntityClass<unknown>)[];
  /** Whether prepared statements are named; default `true`. Set `false` behind a pooler that does not track names. */
  readonly statementNames?: boolean;
  /** Receives the driver's message when an idle connection breaks. */
  readonly onWarning?: (message: string) => void;
  /** Receives the message for each connection that is refused; see `PoolEvents`. */
  readonly onRefused?: (message: string) => void;
  /** Receives the message for each other connection that could not be opened. */
  readonly onUnreachable?: (message: string) => void;
  /** Called after each commit with each announcement of the transaction; must neither throw nor block. */
  readonly onAnnounced?: (announcement: Announcement) => void;
  /** Called once when the role lacks settings of `migrate`; each transaction then sets them itself. */
  readonly onMissingSettings?: (settings: MissingSettings) => void;
}

/** Number of connections of the pool, by state. */
export interface PoolUse {
  readonly inUse: number;
  readonly idle: number;
  readonly max: number;
  /** Statements and transactions without a connection, because the pool or its owner's share is used up. */
  readonly waiting: number;
}

/** The database connections of one process. */
export interface Database {
  readonly orm: Orm;
  /** Opens a connection, which checks the role's settings; resolves even while the database is unavailable. */
  checkSettings(): Promise<void>;
  /**
   * Returns the rows of a statement of a health page; rejects while the database is unavailable. Uses one more connection
   * while all of the pool are in use.
   */
  readonly probe: <Row extends object>(statement: ProbeStatement) => Promise<Row[]>;
  /** Names of the migrations that have not run; see `probe`. */
  readonly pendingMigrations: () => Promise<string[]>;
  readonly connections: () => PoolUse;
  /** Statements with parameters that this pool sent without a name. */
  readonly unnamedStatements: () => number;
  /** Waits for running statements, and no longer than 3 s beyond the longest one. */
  close(): Promise<void>;
}

/** Milliseconds that the driver waits for a response beyond the time after which PostgreSQL cancels the statement. */
const responseGraceMs = 2_000;

/** Milliseconds that `close` waits beyond the longest statement. */
const closeGraceMs = 3_000;

const ignore = (): void => undefined;

/** Opens no connection yet: the API must start, and report its status, while the database is unavailable. */
export function openDatabase(options: DatabaseOptions): Database {
  const { url, poolSize, statementTimeoutMs, plansOnce, entities, statementNames = true } = options;
  const {
    onWarning = ignore,
    onRefused = ignore,
    onUnreachable = ignore,
    onMissingSettings = ignore,
  } = options;
  const settings = new SessionSettings(
    {
      ...roleSettings,
      ...(plansOnce ? rolePlannerSettings : workerPlannerSettings),
      statement_timeout: String(statementTimeoutMs),
    },
    onMissingSettings,
  );
  const connections = {
    connectionString: url,
    max: poolSize,
    idleTimeoutMillis: 30_000,
    query_timeout: statementTimeoutMs + responseGraceMs,
    keepAlive: true,
    application_name: 'steward',
    types: typeParsers(),
  };
  const failures = { onWarning, onRefused, onUnreachable };
  const pool = openPool(connections, {
    ...failures,
    onConnect: async (client) => settings.read(client),
  });
  // A check that waited for busy connections would report that PostgreSQL does not respond.
  const spare = openPool({ ...connections, max: 1 }, failures);
  const free = (): Pool => (pool.idleCount === 0 && pool.totalCount >= poolSize ? spare : pool);
  const sending: StatementSending = {
    settings,
    names: statementNames ? new StatementNames() : undefined,
    unnamed: 0,
  };
  const dialect = new PipelinedDialect(pool, sending);
  const orm = new MikroORM({
    clientUrl: url,
    entities: [...entities] as EntitySchema[],
    driverOptions: dialect,
    allowGlobalContext: false,
    // Otherwise the first write checks the database over a second connection, and a pool of one deadlocks.
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
    probe: async (statement) => probe(free(), statement),
    pendingMigrations: async () => pendingMigrations(free()),
    connections: () => ({
      inUse: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      max: poolSize,
      waiting: pool.waitingCount + dialect.waiting,
    }),
    unnamedStatements: () => sending.unnamed,
    close: async () => {
      const closed = Promise.all([closeAll(orm, pool), spare.end()]).then(() => true);
      const inTime = await within(closed, statementTimeoutMs + responseGraceMs + closeGraceMs, false);
      if (!inTime) onWarning(`${String(pool.totalCount)} database connections were not returned.`);
    },
  };
}

async function closeAll(orm: MikroORM, pool: Pool): Promise<void> {
  await orm.close();
  // Kysely ends the pool only if it ran a statement; lookups bypass it.
  if (!pool.ended) await pool.end();
}

/** Parses as entities declare: `bigint` as text, `timestamptz` as a `Date`, everything else as MikroORM does. */
function typeParsers(): TypeOverrides {
  const types = new TypeOverrides();
  for (const [type, parse] of Object.entries(
    createPostgreSqlTypeParsers((text) => array.parse(text, String)),
  ))
    types.setTypeParser(Number(type), parse);
  types.setTypeParser(pgTypes.builtins.TIMESTAMPTZ, (text) => new Date(text));
  return types;
}
