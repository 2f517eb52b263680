import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { RequestContext } from '../../../../api/http/middleware/state.ts';
import type { JsonPieces } from '../../../../api/http/response/list-form.ts';
import { ReadBudget } from '../../../../api/http/response/read-budget.ts';
import { writeChunks } from '../../../../api/http/response/streaming-writer.ts';
import { eventually } from '../../../support/eventually.ts';

const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const limits = { totalBytes: 2 ** 30, ownerBytes: 2 ** 30, reserveBytes: 0, waitMs: 1 };

interface Streamed {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  /** Bytes that the socket buffered after each write. */
  readonly buffered: readonly number[];
  /** Settles with the response. */
  readonly written: Promise<void>;
}

/** Streams the chunks to a caller that has not read yet. */
async function stream([first = [], ...rest]: readonly JsonPieces[]): Promise<Streamed> {
  const requested = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
  const { port } = server.address() as AddressInfo;
  const responded = once(get({ port, host: '127.0.0.1', agent: false }), 'response') as Promise<
    [IncomingMessage]
  >;
  const [, response] = await requested;
  const buffered: number[] = [];
  const write = response.write.bind(response) as (chunk: unknown) => boolean;
  response.write = (chunk: unknown) => {
    const hasRoom = write(chunk);
    buffered.push(response.writableLength);
    return hasRoom;
  };
  async function* following(): AsyncGenerator<JsonPieces> {
    for (const pieces of rest) yield Promise.resolve(pieces);
  }
  const context = { res: response, state: {} } as Pick<RequestContext, 'res' | 'state'>;
  const charge = new ReadBudget(limits).chargeOf('any');
  const written = writeChunks(context, { first, rest: following() }, charge);
  written.catch(() => undefined);
  const [message] = await responded;
  return { message, response, buffered, written };
}

const piece = fc
  .tuple(fc.constantFrom('x', 'é', '𝄞'), fc.nat(200_000), fc.boolean())
  .map(([letter, length, bytes]) => (bytes ? Buffer.from(letter.repeat(length)) : letter.repeat(length)));
const chunks = fc.array(fc.array(piece, { maxLength: 4 }), { minLength: 2, maxLength: 6 });

describe('the streaming writer', () => {
  it('sends the bytes of every piece in order, and a socket buffers at most 256 KiB', async () => {
    await fc.assert(
      fc.asyncProperty(chunks, async (sent) => {
        const { message, buffered, written } = await stream(sent);
        const received = await buffer(message);
        await written;
        const all = Buffer.concat(sent.flat().map((one) => Buffer.from(one as string)));
        expect(received.equals(all)).toBe(true);
        expect(Math.max(0, ...buffered)).toBeLessThanOrEqual(262_144);
      }),
      { numRuns: 30 },
    );
  });

  it('buffers at most 256 KiB of a record of 32 MiB that its caller does not read, and ends when its caller leaves', async () => {
    const { message, response, buffered, written } = await stream([[], ['x'.repeat(2 ** 25)]]);
    await eventually(() => response.writableNeedDrain);
    message.destroy();
    await expect(written).rejects.toThrow('caller closed the connection');
    expect(Math.max(...buffered)).toBeLessThanOrEqual(262_144);
  });

  it('resets the connection of a caller without chunks when a later chunk fails, so that the response does not look complete', async () => {
    const { port } = server.address() as AddressInfo;
    const requested = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.0\r\n\r\n');
    const [, response] = await requested;
    const failing = Promise.withResolvers<never>();
    async function* following(): AsyncGenerator<JsonPieces> {
      yield await failing.promise;
    }
    const context = { res: response, state: {} } as Pick<RequestContext, 'res' | 'state'>;
    const charge = new ReadBudget(limits).chargeOf('any');
    const written = writeChunks(context, { first: ['[1'], rest: following() }, charge);
    await once(socket, 'data');
    const failed = new Promise<NodeJS.ErrnoException>((resolve) => void socket.once('error', resolve));
    failing.reject(new Error('read failed'));
    await expect(written).rejects.toThrow('read failed');
    expect((await failed).code).toBe('ECONNRESET');
  });
});
