import { Client } from 'pg';

/** Waits for one notice. Aborted when it has come; `leave` gives it up. */
export interface Awaited {
  readonly come: AbortSignal;
  leave(): void;
}

export interface NoticesOptions {
  /** Of a connection without a pooler between; undefined hears nothing. */
  readonly url: string | undefined;
  /** What statements name in `pg_notify`. */
  readonly channel: string;
}

/** Milliseconds: until a connection must stand, and between two tries to have one. */
const times = { connect: 1_500, apart: 1_000 } as const;

/**
 * Hears what transactions tell by `pg_notify` as they commit, over a connection of its own that is made for the first who
 * waits: `listen` belongs to a session, which a pooler in transaction mode does not keep. Nothing may depend on it: while
 * there is no connection nothing is heard, and who waits must learn in another way.
 */
export class Notices {
  readonly #options: NoticesOptions;
  readonly #waiting = new Map<string, AbortController>();
  #client: Client | undefined;
  #triedAt = -Infinity;
  #closed = false;

  constructor(options: NoticesOptions) {
    this.#options = options;
  }

  /** `payload` must be nobody else's at the same time. */
  await(payload: string): Awaited {
    this.#connect();
    const controller = new AbortController();
    this.#waiting.set(payload, controller);
    const leave = (): void => {
      // One who came later for the same waits on.
      if (this.#waiting.get(payload) === controller) this.#waiting.delete(payload);
    };
    return { come: controller.signal, leave };
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
    if (url === undefined || this.#closed || this.#client !== undefined || now - this.#triedAt < times.apart)
      return;
    this.#triedAt = now;
    const client = new Client({
      connectionString: url,
      connectionTimeoutMillis: times.connect,
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
