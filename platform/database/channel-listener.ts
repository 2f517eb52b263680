import { Client } from 'pg';

/** A wait for one notification. */
export interface ExpectedNotification {
  /** Aborted when the notification arrives. */
  readonly arrived: AbortSignal;
  /** Ends the wait. */
  cancel(): void;
}

export interface ChannelListenerOptions {
  /** URL without a pooler; undefined receives no notifications. */
  readonly url: string | undefined;
  /** The channel of `pg_notify`. */
  readonly channel: string;
}

const connectTimeoutMs = 1_500;
/** Min time between two connection attempts. */
const reconnectAfterMs = 1_000;

/**
 * Receives `pg_notify` notifications of committed transactions, over its own connection, opened at the first wait.
 * `listen` needs a session, which a pooler in transaction mode does not provide. Delivery is best effort: notifications
 * are lost while there is no connection, so callers need a fallback.
 */
export class ChannelListener {
  readonly #options: ChannelListenerOptions;
  readonly #waiting = new Map<string, AbortController>();
  #client: Client | undefined;
  #triedAt = -Infinity;
  #closed = false;

  constructor(options: ChannelListenerOptions) {
    this.#options = options;
  }

  /** Two concurrent waits must not share a `payload`. */
  expect(payload: string): ExpectedNotification {
    this.#connect();
    const controller = new AbortController();
    this.#waiting.set(payload, controller);
    const cancel = (): void => {
      // A later wait for the same payload stays.
      if (this.#waiting.get(payload) === controller) this.#waiting.delete(payload);
    };
    return { arrived: controller.signal, cancel };
  }

  async close(): Promise<void> {
    this.#closed = true;
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => undefined);
  }

  #connect(): void {
    const { url, channel } = this.#options;
    const now = performance.now();
    if (
      url === undefined ||
      this.#closed ||
      this.#client !== undefined ||
      now - this.#triedAt < reconnectAfterMs
    )
      return;
    this.#triedAt = now;
    const client = new Client({
      connectionString: url,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      application_name: 'steward-notices',
    });
    this.#client = client;
    const lose = (): void => {
      if (this.#client === client) this.#client = undefined;
    };
    client.on('error', lose);
    client.on('end', lose);
    client.on('notification', ({ payload = '' }) => this.#waiting.get(payload)?.abort());
    client
      .connect()
      .then(async () => client.query(`listen ${client.escapeIdentifier(channel)}`))
      .catch(() => {
        lose();
        client.end().catch(() => undefined);
      });
  }
}
