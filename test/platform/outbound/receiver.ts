import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on this machine that counts what reaches it. */
export interface Receiver {
  readonly port: string;
  /** Since the last `response`. */
  readonly requests: number;
  readonly connections: number;
  /** How it responds from now on; the counts start again. */
  response(listener: RequestListener): void;
  readonly close: () => Promise<void>;
}

/** Listens at one address, or at all that this machine has. */
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
