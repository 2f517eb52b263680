import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Returns the bytes of a POST. `headers` excludes Host and the length; a length of -1 sends no Content-Length. */
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

/** Opens connections that each write `bytes` and read nothing beyond what the socket buffers. */
export async function unreadConnections(url: string, count: number, bytes: Buffer): Promise<Connections> {
  const { hostname, port } = new URL(url);
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(Number(port), hostname);
      // The attack provokes the server to destroy the connection at any time.
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(bytes);
      return socket;
    }),
  );
  return new Connections(sockets);
}

/**
 * A server that accepts 100 connections replaces each one by the 100 after it, so after 3 s or more. That leaves another
 * caller time for its response even on a slow machine, where reopening all at once would only prove that it is slow.
 */
const opensEveryMs = 30;

/**
 * Opens connections like `unreadConnections`, one by one, and opens each again that the server closes. Resolves with a
 * function that ends this once all were opened.
 */
export async function reopenedConnections(url: string, count: number, bytes: Buffer): Promise<() => void> {
  const { hostname, port } = new URL(url);
  const open = new Set<Socket>();
  const openOne = (): void => {
    const socket = connect(Number(port), hostname);
    open.add(socket);
    socket.on('error', () => undefined);
    socket.write(bytes);
    // The server ends its half with a response, which is not read.
    socket.once('end', () => socket.destroy());
    socket.once('close', () => open.delete(socket));
  };
  for (let opened = 0; opened < count; opened += 1) {
    openOne();
    await pause(opensEveryMs);
  }
  const reopening = setInterval(() => {
    if (open.size < count) openOne();
  }, opensEveryMs);
  return () => {
    clearInterval(reopening);
    for (const socket of open) socket.destroy();
  };
}

/** Connections that an attacker holds open. */
export class Connections {
  readonly #sockets: readonly Socket[];

  constructor(sockets: readonly Socket[]) {
    this.#sockets = sockets;
  }

  /** Returns how many of them the server still holds. Writes to each, because a socket that reads nothing detects its end only by a write. */
  countOpen(): number {
    const open = this.#sockets.filter((socket) => !socket.destroyed);
    for (const socket of open) socket.write(' ');
    return open.length;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
