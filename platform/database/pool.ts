import { Client, Pool, type ClientBase, type ClientConfig, type PoolConfig } from 'pg';
import { isRefusedConnection } from './failures.ts';

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
 * The process id that the server, or a pooler before it, has reported to a connected client; null where none was. The
 * types of pg omit it, so a release that renames it must fail here.
 */
export function backendPid(client: ClientBase): number | null {
  const { processID } = client as ClientBase & { readonly processID?: number | null };
  if (processID === undefined) throw new Error('missing process id of a connection');
  return processID;
}

/** Callbacks of a pool. */
export interface PoolEvents {
  /** Completes before a new connection is used. */
  readonly onConnect?: (client: ClientBase) => Promise<void>;
  /** Receives the driver's message when an idle connection ends; the next use opens another. */
  readonly onWarning?: (message: string) => void;
  /** Receives PostgreSQL's message for each connection that it refuses, for example because of its password. */
  readonly onRefused?: (message: string) => void;
}

/** A pool of pipelined connections, opened on demand. */
export function openPool(config: PoolConfig, events: PoolEvents): Pool {
  const { onConnect = () => Promise.resolve(), onWarning = () => undefined, onRefused } = events;
  const pool = new Pool({
    ...config,
    onConnect,
    Client: QuickClient,
    pipeline: true,
    connectionTimeoutMillis: queueTimeoutMs,
    // Only this log reports that a connection failed to open; its caller gets the error as well.
    log: (_step: string, error?: Error) => {
      if (error !== undefined && isRefusedConnection(error)) onRefused?.(error.message);
    },
  } as unknown as PoolConfig);
  const warn = ({ message }: Error): void => onWarning(message);
  // Without listeners, the error event of a dropped connection would end the process.
  pool.on('error', warn);
  pool.on('connect', (client) => void client.on('error', warn));
  return pool;
}
