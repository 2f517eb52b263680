import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A way to a server, which is there or is away. */
export interface Door {
  /** `host:port`. */
  readonly address: string;
  /** Connections that were refused so far. */
  readonly refused: () => number;
  open(): void;
  /** Ends what goes through, and refuses what comes. */
  close(): void;
  readonly end: () => Promise<void>;
}

/** Closed at first. `target` is `host:port`. */
export async function aDoorTo(target: string): Promise<Door> {
  const { hostname, port: targetPort } = new URL(`tcp://${target}`);
  const sockets = new Set<Socket>();
  let isOpen = false;
  let refused = 0;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    // Ends that the test itself causes.
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
