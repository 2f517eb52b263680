import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A received webhook. */
export interface Delivered {
  readonly id: string;
  readonly at: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The signed bytes of the body. */
  readonly text: string;
  /** The parsed body, unless it is encoded or encrypted. */
  readonly body: DeliveredBody;
}

export interface DeliveredBody {
  readonly event: string;
  readonly actionType: string;
  readonly source: string;
  readonly webhookId: string;
  readonly version: number;
  readonly sequence: number | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Responds to one webhook. A webhook without a response hangs. */
export type ReceiverBehavior = (delivered: Delivered, response: ServerResponse) => void;

/** A customer's local server that records webhooks. */
export interface Receiver {
  readonly url: string;
  readonly delivered: readonly Delivered[];
  /** Ids in the order of their first arrival. */
  readonly ids: () => ReadonlySet<string>;
  /** Max number of concurrent requests. */
  readonly abreast: () => number;
  readonly connections: () => number;
  behave(behavior: ReceiverBehavior): void;
  /** Deletes the recorded webhooks. */
  forget(): void;
  readonly close: () => Promise<void>;
}

export const responding =
  (status: number, headers: Readonly<Record<string, string | string[]>> = {}, body = ''): ReceiverBehavior =>
  (_delivered, response) => {
    response.writeHead(status, headers).end(body);
  };

export const hanging: ReceiverBehavior = () => undefined;

/** Starts a receiver that responds with 200 until its behavior is changed. */
export async function aReceiver(): Promise<Receiver> {
  let delivered: Delivered[] = [];
  let behavior = responding(200);
  let open = 0;
  let abreast = 0;
  let connections = 0;
  const take = (request: IncomingMessage, response: ServerResponse): void => {
    open += 1;
    abreast = Math.max(abreast, open);
    response.once('close', () => {
      open -= 1;
    });
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = deliveredOf(request, Buffer.concat(chunks).toString('utf8'));
      delivered.push(one);
      behavior(one, response);
    });
  };
  const server = createServer(take);
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/hook`,
    get delivered() {
      return delivered;
    },
    ids: () => new Set(delivered.map(({ id }) => id)),
    abreast: () => abreast,
    connections: () => connections,
    behave: (next) => {
      behavior = next;
    },
    forget: () => {
      delivered = [];
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

function deliveredOf(request: IncomingMessage, text: string): Delivered {
  return {
    id: String(request.headers['webhook-id']),
    at: Date.now(),
    path: request.url ?? '',
    headers: request.headers,
    text,
    body: JSON.parse(text) as DeliveredBody,
  };
}
