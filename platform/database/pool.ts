import { Client, Pool, type ClientBase, type ClientConfig, type PoolConfig } from 'pg';

/** Time limits of connecting, in milliseconds. */
const limits = {
  /** Until the server accepts a connection: beyond it, it counts as away. */
  connect: 1_500,
  /** In the queue of the pool. */
  queue: 10_000,
} as const;

/** The pool's own limit is for waiting in its queue; a server that does not respond is told sooner. */
class QuickClient extends Client {
  constructor(config: ClientConfig) {
    super({ ...config, password: config.password, connectionTimeoutMillis: limits.connect });
  }
}

/**
 * A pool of pipelined connections. A connection that ends while it is idle is replaced at the next use: `onWarning` receives
 * what the driver reports of it. `onConnect` ends before a new connection is used. Opens no connection by itself.
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
    connectionTimeoutMillis: limits.queue,
  } as unknown as PoolConfig);
  const warn = ({ message }: Error): void => onWarning(message);
  // Without listeners, a dropped connection would end the process.
  pool.on('error', warn);
  pool.on('connect', (client) => void client.on('error', warn));
  return pool;
}
