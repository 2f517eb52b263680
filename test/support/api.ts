import type { Endpoint } from '../../api/http/endpoint.ts';
import type { RequestLimits } from '../../api/http/request-limits.ts';
import { startApi } from '../../api/start-api.ts';
import { entities } from '../../domain/entities.ts';
import { readConfiguration } from '../../platform/config/read-configuration.ts';
import { openDatabase } from '../../platform/database/open-database.ts';
import type { Orm } from '../../platform/database/orm.ts';
import { KeyRing } from '../../platform/encryption/key-ring.ts';
import { createLogger } from '../../platform/logging/logger.ts';
import { closeConnections } from './client.ts';
import { aDatabase, type TestDatabase } from './database.ts';
import { serverEnvironment, temporalAway } from './environment.ts';
import { statementNames } from './pooler.ts';

/** A parsed log line. */
export type LogLine = Readonly<Record<string, unknown>>;

/** An API in this process, with its own port and database. */
export interface TestApi {
  readonly url: string;
  readonly database: TestDatabase;
  /** For functions of the domain, separate from the API's pool. */
  readonly orm: Orm;
  readonly keyRing: KeyRing;
  /** The lines that it has logged, as text. */
  readonly log: readonly string[];
  /** Returns the access line of a request by its id. */
  accessLine(requestId: string): LogLine | undefined;
  /**
   * Stops it like SIGTERM, and drops the database unless the test passed it. Rejects when an operation has returned
   * an undeclared error status.
   */
  readonly close: () => Promise<void>;
}

export interface TestApiOptions {
  /** The database of another API, for two processes on one database. */
  readonly database?: TestDatabase;
  /** URL that replaces the database's own, for instance a proxy's. */
  readonly databaseUrl?: string;
  /** Variables that differ from `serverEnvironment`. `TEMPORAL_ADDRESS` and `TEMPORAL_NAMESPACE` of `aNamespace()` connect Temporal. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Operations that replace the registry. */
  readonly endpoints?: readonly Endpoint[];
  /** Replaces the limits of production, which last seconds. With Temporal, `temporalWithinMs` is 60 s by default. */
  readonly limits?: Partial<RequestLimits>;
}

/** Starts an API on an empty database. The test file must call `afterAll(api.close)`. */
export async function startTestApi(options: TestApiOptions = {}): Promise<TestApi> {
  const database = options.database ?? (await aDatabase());
  const databaseUrl = options.databaseUrl ?? database.url;
  const configuration = readConfiguration(serverEnvironment(databaseUrl, options.environment), 'api');
  const log: string[] = [];
  const logger = createLogger(
    { level: configuration.logLevel, format: 'json', name: 'api' },
    (line) => void log.push(line),
  );
  // A busy Temporal may start a workflow after more than the 1.5 s of production.
  const patient = configuration.temporal.address === temporalAway ? {} : { temporalWithinMs: 60_000 };
  const limits = { ...patient, ...options.limits };
  const api = await startApi(configuration, logger, { operations: options.endpoints, limits });
  // Most test files call the API alone, and an entity manager takes a quarter of the time of its start.
  let opened: ReturnType<typeof openDatabase> | undefined;
  const open = () =>
    (opened ??= openDatabase({
      url: database.url,
      poolSize: 3,
      statementTimeoutMs: 60_000,
      plansOnce: false,
      statementNames,
      entities,
    }));
  return {
    url: `http://127.0.0.1:${String(api.port)}`,
    database,
    get orm() {
      return open().orm;
    },
    keyRing: new KeyRing(configuration.encryptionKeys),
    log,
    accessLine: (requestId) => {
      const lines = log.map((line) => JSON.parse(line) as LogLine);
      return lines.find((line) => line['msg'] === 'request' && line['requestId'] === requestId);
    },
    async close() {
      closeConnections();
      await api.close();
      await opened?.close();
      if (options.database === undefined) await database.drop();
      const undeclared = log.filter((line) => line.includes('"undeclared error status"'));
      if (undeclared.length > 0) throw new Error(`Add to the errors of the endpoint: ${undeclared.join('')}`);
    },
  };
}
