import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { CompactRequest } from '../../../../api/http/connection/compact-request.ts';
import type { RequestContext } from '../../../../api/http/middleware/state.ts';
import { unreadBody } from '../../../../api/http/middleware/unread-body.ts';
import { eventually } from '../../../support/eventually.ts';

const mebibyte = 1_048_576;
let server: Server | undefined;
let socket: Socket | undefined;
afterEach(() => {
  socket?.destroy();
  server?.closeAllConnections();
  server?.close();
});

describe('a large body that nobody reads', () => {
  it.each(['Content-Length: 9000000', 'Transfer-Encoding: chunked'])(
    'with %s takes no memory while its caller does not read the response, and is not read on',
    async (length) => {
      const { promise, resolve } = Promise.withResolvers<CompactRequest>();
      const made = createServer({ IncomingMessage: CompactRequest }, (request) => resolve(request));
      server = made;
      await new Promise<void>((done) => void made.listen(0, '127.0.0.1', done));
      socket = connect((made.address() as AddressInfo).port, '127.0.0.1');
      socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${length}\r\n\r\n`);
      if (length.startsWith('Transfer')) socket.write(`${(9 * mebibyte).toString(16)}\r\n`);
      socket.write(Buffer.alloc(8 * mebibyte));
      const req = await promise;
      // More than one chunk has arrived.
      await eventually(() => req.readableLength >= 65_536);
      const set: string[] = [];
      const context = { req, headerSent: false, set: (...header: string[]) => void set.push(...header) };
      await unreadBody({ maxBytes: mebibyte, maxMs: 60_000 })(
        context as unknown as RequestContext,
        async () => undefined,
      );
      expect(set).toEqual(['Connection', 'close']);
      const { bytesRead } = req.socket;
      // Each turn of the event loop reads what has arrived, unless nobody wants it.
      for (let turn = 0; turn < 100; turn += 1) await nextTurn();
      expect(req.readableLength).toBe(0);
      expect(req.socket.bytesRead).toBeLessThan(bytesRead + 4 * 65_536);
    },
  );
});
