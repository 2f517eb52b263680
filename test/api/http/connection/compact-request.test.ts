import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { CompactRequest } from '../../../../api/http/connection/compact-request.ts';
import { eventually } from '../../../support/eventually.ts';

let server: Server | undefined;
let socket: Socket | undefined;
afterEach(() => {
  socket?.destroy();
  server?.closeAllConnections();
  server?.close();
});

/** Sends a chunked body of these sizes to a server that begins to read it when `read` is called. */
async function received(sizes: readonly number[]): Promise<{
  readonly request: CompactRequest;
  readonly end: () => void;
}> {
  server?.close();
  const made = createServer({ IncomingMessage: CompactRequest });
  server = made;
  const arrived = once(made, 'request') as Promise<[CompactRequest]>;
  await new Promise<void>((resolve) => void made.listen(0, '127.0.0.1', resolve));
  socket = connect((made.address() as AddressInfo).port, '127.0.0.1');
  const chunks = sizes.map((size, index) => `${size.toString(16)}\r\n${letter(index).repeat(size)}\r\n`);
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunks.join('')}`);
  const [request] = await arrived;
  return { request, end: () => socket?.write('0\r\n\r\n') };
}

const letter = (index: number): string => String.fromCharCode(97 + (index % 26));
const bodyOf = (sizes: readonly number[]): string =>
  sizes.map((size, index) => letter(index).repeat(size)).join('');

describe('a request', () => {
  it('has the bytes of its chunks, however its reader pauses', async () => {
    const size = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constantFrom(4_095, 4_096, 30_000, 70_000));
    const sizes = fc.array(size, { minLength: 1, maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 5 }), async (sent, pauseEvery) => {
        const { request, end } = await received(sent);
        let body = '';
        let events = 0;
        request.on('data', (chunk: Buffer) => {
          body += chunk.toString();
          if ((events += 1) % pauseEvery !== 0) return;
          request.pause();
          setImmediate(() => request.resume());
        });
        end();
        await once(request, 'end');
        expect(body).toBe(bodyOf(sent));
      }),
      { numRuns: 30 },
    );
  });

  it('keeps few objects while it is not read', async () => {
    const sizes = Array.from({ length: 9_000 }, () => 1);
    const { request, end } = await received(sizes);
    end();
    await eventually(() => request.complete);
    let chunks = 0;
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      chunks += 1;
      bytes += chunk.length;
    });
    await once(request, 'end');
    expect(bytes).toBe(9_000);
    expect(chunks).toBeLessThan(10);
  });
});
