import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** The bytes of a POST. `headers` beside Host and the length; a length of -1 is left out. */
export function post(
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer,
  length: number = Buffer.byteLength(body),
): Buffer {
  const lines = Object.entries({
    host: 'localhost',
    'content-type': 'application/json',
    ...(length >= 0 && { 'content-length': String(length) }),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), Buffer.from(body)]);
}

/** Connections that have each written `bytes` and read nothing but what a socket buffers by itself. */
export async function unreadConnections(url: string, count: number, bytes: Buffer): Promise<Connections> {
  const { hostname, port } = new URL(url);
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(Number(port), hostname);
      // The server may destroy it at any time: that is what the attack provokes.
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(bytes);
      return socket;
    }),
  );
  return new Connections(sockets);
}

/** What an attacker holds open. */
export class Connections {
  readonly #sockets: readonly Socket[];

  constructor(sockets: readonly Socket[]) {
    this.#sockets = sockets;
  }

  /** How many the server still holds. A socket that reads nothing learns of its end only when it writes. */
  countOpen(): number {
    const open = this.#sockets.filter((socket) => !socket.destroyed);
    for (const socket of open) socket.write(' ');
    return open.length;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
