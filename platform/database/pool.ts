import { Client, Pool, type ClientBase, type ClientConfig, type PoolConfig } from 'pg';

/** Max wait for a new connection. A burst of them takes seconds on a loaded machine: each checks a SCRAM password. */
const connectTimeoutMs = 5_000;
/** Max wait for a free connection of the pool. */
export const queueTimeoutMs = 10_000;

/** Has its own connect timeout: the pool's timeout also covers the wait in its queue. */
class QuickClient extends Client {
  constructor(config: ClientConfig) {
    super({ ...config, password: config.password, connectionTimeoutMillis: connectTimeoutMs });
  }
}

/**
 * A pool of pipelined connections, opened on demand. When an idle connection ends, `onWarning` receives the driver's
 * message, and the next use opens another. `onConnect` completes before a new connection is used.
 */
export function openPool(
  config: PoolConfig,
  onWarning: (message: string) => void,
  onConnect: (client: ClientBase) => Promise<void> = () => Promise.resolve(),
): Pool {
  const pool = new Pool({
    ...config,
    onConnect,
    Client: QuickClient,
    pipeline: true,
    connectionTimeoutMillis: queueTimeoutMs,
  } as unknown as PoolConfig);
  const warn = ({ message }: Error): void => onWarning(message);
  // Without listeners, the error event of a dropped connection would end the process.
  pool.on('error', warn);
  pool.on('connect', (client) => void client.on('error', warn));
  return pool;
}
