import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A TCP proxy before a server, which a test opens and closes. */
export interface ClosableProxy {
  /** `host:port`. */
  readonly address: string;
  /** Number of rejected connections. */
  readonly refused: () => number;
  open(): void;
  /** Ends open connections and rejects new ones. */
  close(): void;
  readonly end: () => Promise<void>;
}

/** Starts closed. `target` is `host:port`. */
export async function aClosableProxy(target: string): Promise<ClosableProxy> {
  const { hostname, port: targetPort } = new URL(`tcp://${target}`);
  const sockets = new Set<Socket>();
  let isOpen = false;
  let refused = 0;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    // Connection errors that the test causes.
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer((socket) => {
    keep(socket);
    if (!isOpen) {
      refused += 1;
      socket.destroy();
      return;
    }
    const onward = connect(Number(targetPort), hostname);
    keep(onward);
    socket.pipe(onward);
    onward.pipe(socket);
    socket.once('close', () => onward.destroy());
    onward.once('close', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const shut = (): void => {
    isOpen = false;
    for (const socket of sockets) socket.destroy();
  };
  return {
    address: `127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    refused: () => refused,
    open: () => {
      isOpen = true;
    },
    close: shut,
    end: async () => {
      shut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
