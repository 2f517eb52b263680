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
import { serverEnvironment } from './environment.ts';
import { statementNames } from './pooler.ts';

/** One line of the log, parsed. */
export type LogLine = Readonly<Record<string, unknown>>;

/** A whole API in this process, on a port and a database of its own. */
export interface TestApi {
  readonly url: string;
  readonly database: TestDatabase;
  /** For functions of the domain; beside the API's own pool. */
  readonly orm: Orm;
  readonly keyRing: KeyRing;
  /** Everything that it has logged, as text, line by line. */
  readonly log: readonly string[];
  /** The access line of a request, by its request id. */
  accessLine(requestId: string): LogLine | undefined;
  /**
   * Stops it as SIGTERM would, and drops the database unless the test brought it. Rejects when an operation has responded with
   * an error status that it does not declare.
   */
  readonly close: () => Promise<void>;
}

export interface TestApiOptions {
  /** Another API's, for two processes on one database. */
  readonly database?: TestDatabase;
  /** Instead of the database's own address, e.g. a proxy's. */
  readonly databaseUrl?: string;
  /** Variables of the configuration that differ from `serverEnvironment`; `TEMPORAL_ADDRESS` and `TEMPORAL_NAMESPACE` of `aNamespace()` bring Temporal. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Instead of the registry: operations of the test's own. */
  readonly endpoints?: readonly Endpoint[];
  /** Instead of the limits of production, which are seconds long. */
  readonly limits?: Partial<RequestLimits>;
}

/** Starts an API on an empty database. The test file calls `afterAll(api.close)`. */
export async function startTestApi(options: TestApiOptions = {}): Promise<TestApi> {
  const database = options.database ?? (await aDatabase());
  const databaseUrl = options.databaseUrl ?? database.url;
  const configuration = readConfiguration(serverEnvironment(databaseUrl, options.environment), 'api');
  const log: string[] = [];
  const logger = createLogger(
    { level: configuration.logLevel, format: 'json', name: 'api' },
    (line) => void log.push(line),
  );
  const api = await startApi(configuration, logger, options.endpoints, options.limits);
  const opened = openDatabase({
    url: database.url,
    poolSize: 3,
    statementTimeout: 60_000,
    plansOnce: false,
    statementNames,
    entities,
  });
  return {
    url: `http://127.0.0.1:${String(api.port)}`,
    database,
    orm: opened.orm,
    keyRing: new KeyRing(configuration.encryptionKeys),
    log,
    accessLine: (requestId) => {
      const lines = log.map((line) => JSON.parse(line) as LogLine);
      return lines.find((line) => line['msg'] === 'request' && line['requestId'] === requestId);
    },
    async close() {
      closeConnections();
      await api.close();
      await opened.close();
      if (options.database === undefined) await database.drop();
      const undeclared = log.filter((line) => line.includes('"undeclared error status"'));
      if (undeclared.length > 0) throw new Error(`Add to the errors of the endpoint: ${undeclared.join('')}`);
    },
  };
}
