import { connect } from 'node:net';

/**
 * Writes bytes to a server. Returns all bytes received until the server closes the connection or `enough` returns
 * true. Fails after `limitMs`.
 */
export async function rawExchange(
  url: string,
  parts: readonly (string | Buffer)[],
  enough: (received: string) => boolean = () => false,
  limitMs = 100_000,
): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = '';
  const limit = setTimeout(
    () => socket.destroy(new Error(`No end within ${String(limitMs)} ms of: ${received}`)),
    limitMs,
  );
  try {
    return await new Promise<string>((resolve, reject) => {
      socket.setEncoding('latin1');
      socket.on('data', (chunk: string) => {
        received += chunk;
        if (enough(received)) resolve(received);
      });
      socket.once('close', () => resolve(received));
      socket.once('error', (error: NodeJS.ErrnoException) => {
        // A server that has refused may close before all bytes were written.
        if (['EPIPE', 'ECONNRESET'].includes(error.code ?? '') && received !== '') resolve(received);
        else reject(error);
      });
      for (const part of parts) socket.write(part);
    });
  } finally {
    clearTimeout(limit);
    socket.destroy();
  }
}
