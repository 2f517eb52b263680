import { Client, Pool, type ClientBase, type ClientConfig, type PoolConfig } from 'pg';
import { errorMessage } from '../process/error-message.ts';
import { isRefusedConnection, openingFailure, UnopenedConnection } from './failures.ts';

/** Max wait for a new connection. A burst of them takes seconds on a loaded machine: each checks a SCRAM password. */
const connectTimeoutMs = 5_000;
/** Max wait for a free connection of the pool. */
export const queueTimeoutMs = 10_000;

/**
 * A class of clients that pass each failure to open a connection to `onFailure`. It fails as `unavailable`, whatever the
 * reason. They have their own connect timeout: the pool's timeout also covers the wait in its queue.
 */
const quickClient = (onFailure: (error: Error) => void): typeof Client =>
  class extends Client {
    constructor(config: ClientConfig) {
      super({ ...config, password: config.password, connectionTimeoutMillis: connectTimeoutMs });
    }

    /** The pool passes a callback. */
    override connect(): Promise<Client>;
    override connect(callback: (error: Error | null) => void): void;
    override connect(callback?: (error: Error | null) => void): Promise<Client> | undefined {
      if (callback === undefined) return super.connect();
      super.connect((error: Error | null) => {
        const failure = error && openingFailure(error);
        if (failure !== null) onFailure(failure);
        callback(failure);
      });
      return undefined;
    }
  };

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
  /**
   * Receives the message for each connection that PostgreSQL or this process refuses, for example because of its password
   * or a certificate. Waiting does not help.
   */
  readonly onRefused?: (message: string) => void;
  /** Receives the message for each other connection that could not be opened, for example while PostgreSQL is stopped. */
  readonly onUnreachable?: (message: string) => void;
}

/** A pool of pipelined connections, opened on demand. */
export function openPool(config: PoolConfig, events: PoolEvents): Pool {
  const {
    onConnect = () => Promise.resolve(),
    onWarning = () => undefined,
    onRefused,
    onUnreachable,
  } = events;
  const onFailure = (error: Error): void => {
    const refused = isRefusedConnection(error) || error instanceof UnopenedConnection;
    (refused ? onRefused : onUnreachable)?.(errorMessage(error));
  };
  const options = {
    ...config,
    onConnect,
    Client: quickClient(onFailure),
    pipeline: true,
    connectionTimeoutMillis: queueTimeoutMs,
  };
  const pool = new Pool(options);
  const warn = ({ message }: Error): void => onWarning(message);
  // Without listeners, the error event of a dropped connection would end the process.
  pool.on('error', warn);
  pool.on('connect', (client) => void client.on('error', warn));
  return pool;
}
