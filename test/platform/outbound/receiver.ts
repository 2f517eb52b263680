import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on this machine that counts connections and requests. */
export interface Receiver {
  readonly port: string;
  /** Since the last `response`. */
  readonly requests: number;
  readonly connections: number;
  /** Sets its response, and resets the counts. */
  response(listener: RequestListener): void;
  readonly close: () => Promise<void>;
}

/** Listens at one address, or at all addresses of this machine. */
export async function aReceiver(address = '::'): Promise<Receiver> {
  let requests = 0;
  let connections = 0;
  let listener: RequestListener = (_request, response) => response.end('ok');
  const server = createServer((request, response) => {
    requests += 1;
    listener(request, response);
  });
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => void server.listen(0, address, resolve));
  return {
    port: String((server.address() as AddressInfo).port),
    get requests() {
      return requests;
    },
    get connections() {
      return connections;
    },
    response(next) {
      requests = 0;
      connections = 0;
      listener = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
