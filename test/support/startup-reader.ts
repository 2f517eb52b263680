import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A TCP proxy to PostgreSQL that reads the startup packet of each connection. */
export interface StartupReader {
  /** The given URL with the reader's host and port. */
  readonly url: string;
  /** The parameters of each startup packet received so far. */
  readonly startups: readonly Readonly<Record<string, string>>[];
  close(): Promise<void>;
}

/** Bytes of a startup packet before its parameters: length and version of the protocol. */
const headBytes = 8;

export async function aStartupReader(target: string): Promise<StartupReader> {
  const { hostname, port } = new URL(target);
  const startups: Record<string, string>[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connect(Number(port), hostname);
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.once('close', () => other.destroy());
    }
    socket.once('data', (packet: Buffer) => {
      // A client's first packet is small enough to arrive in one piece.
      const texts = packet.subarray(headBytes, packet.readInt32BE(0)).toString().split('\0');
      const named = texts.flatMap((text, at) =>
        at % 2 === 0 && text !== '' ? [[text, texts[at + 1] ?? '']] : [],
      );
      startups.push(Object.fromEntries(named) as Record<string, string>);
      onward.write(packet);
      socket.pipe(onward);
      onward.pipe(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    startups,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
