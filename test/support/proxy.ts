import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A TCP proxy to a server that a test can close. */
export interface Proxy {
  /** The given URL with the proxy's host and port. */
  readonly url: string;
  /** Ends every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Accepts connections without forwarding bytes, like a hanging server. */
  hang(): void;
  /** Ends the connection on which the server responds next, without forwarding the response. */
  loseNextResponse(): void;
  /** Forwards again. */
  restore(): Promise<void>;
  /** Ends every connection. Forwards new ones to another server, at the host and port of this URL. */
  redirect(url: string): void;
}

/** Starts a proxy that forwards all bytes until its behavior is changed. */
export async function aProxyTo(target: string): Promise<Proxy> {
  let address = new URL(target);
  const sockets = new Set<Socket>();
  let hanging = false;
  let losing = false;
  const server = createServer((socket) => {
    keep(socket);
    if (hanging) return;
    const onward = connect(Number(address.port), address.hostname);
    keep(onward);
    onward.on('data', () => {
      if (losing) socket.destroy();
      losing = false;
    });
    socket.pipe(onward);
    onward.pipe(socket);
    socket.once('close', () => onward.destroy());
    onward.once('close', () => socket.destroy());
  });
  function keep(socket: Socket): void {
    sockets.add(socket);
    // Connection errors that the test causes.
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  }
  const listen = async (port: number): Promise<void> =>
    new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  const end = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    async cut() {
      if (!server.listening) return;
      const closed = new Promise((resolve) => server.close(resolve));
      end();
      await closed;
    },
    hang() {
      hanging = true;
      for (const socket of sockets) {
        socket.unpipe();
        socket.pause();
      }
    },
    loseNextResponse() {
      losing = true;
    },
    async restore() {
      hanging = false;
      end();
      if (!server.listening) await listen(port);
    },
    redirect(other) {
      address = new URL(other);
      end();
    },
  };
}
