import { connect, type Socket } from 'node:net';
import { eventually } from './eventually.ts';

/** A connection on which a test writes any bytes at any time. */
export interface RawCaller {
  readonly socket: Socket;
  /** All bytes received so far, as text. */
  readonly received: () => string;
  /** Whether the server has closed its half. */
  readonly ended: () => boolean;
  /** The error code that ended the connection, e.g. ECONNRESET. */
  readonly failure: () => string | undefined;
  write(part: string | Buffer): Promise<void>;
  /** Resolves with the received text when it matches `pattern`. */
  until(pattern: RegExp): Promise<string>;
}

/** Connects. The test must destroy `socket` unless the server closes it. */
export async function aRawCaller(url: string): Promise<RawCaller> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname });
  socket.setEncoding('latin1');
  let received = '';
  let ended = false;
  let failure: string | undefined;
  socket.on('data', (chunk: Buffer | string) => (received += chunk.toString()));
  socket.once('end', () => (ended = true));
  socket.on('error', (error: NodeJS.ErrnoException) => (failure ??= error.code ?? error.message));
  await new Promise((resolve) => socket.once('connect', resolve));
  return {
    socket,
    received: () => received,
    ended: () => ended,
    failure: () => failure,
    write: async (part) => new Promise((resolve) => void socket.write(part, () => resolve())),
    async until(pattern) {
      await eventually(() => pattern.test(received));
      return received;
    },
  };
}

/** Returns the head of a POST. */
export function headOf(path: string, headers: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
  return `POST ${path} HTTP/1.1\r\nHost: x\r\n${lines.join('')}\r\n`;
}

/** Returns one chunk of a chunked body. */
export const chunkOf = (content: string): string =>
  `${Buffer.byteLength(content).toString(16)}\r\n${content}\r\n`;

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly error?: { status: string; message: string; details: Record<string, unknown> } };
}

/** Parses the responses in a received text, each of which has a Content-Length. */
export function responsesIn(received: string): RawResponse[] {
  const responses: RawResponse[] = [];
  let rest = received;
  while (rest.startsWith('HTTP/1.1 ')) {
    const end = rest.indexOf('\r\n\r\n');
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 2),
      ]),
    );
    const length = Number(headers['content-length'] ?? 0);
    const text = rest.slice(end + 4, end + 4 + length);
    responses.push({
      status: Number(first.split(' ')[1]),
      headers,
      body: text === '' ? {} : (JSON.parse(text) as RawResponse['body']),
    });
    rest = rest.slice(end + 4 + length);
  }
  if (rest !== '') throw new Error(`Not a response: ${rest.slice(0, 200)}`);
  return responses;
}
