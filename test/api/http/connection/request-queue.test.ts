import { EventEmitter } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { oneAtATime } from '../../../../api/http/connection/request-queue.ts';
import { destroyStalled } from '../../../../api/http/connection/stalled-connections.ts';
import { eventually } from '../../../support/eventually.ts';
import { rawExchange } from '../../../support/raw-http.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serving(made: Server): Promise<string> {
  server = made;
  await new Promise<void>((resolve) => void made.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${String((made.address() as AddressInfo).port)}`;
}

const request = (number: number, body = ''): string =>
  `POST /${String(number)} HTTP/1.1\r\nHost: steward\r\nX-Svc-Api-Key: ${'k'.repeat(60)}\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`;

const responsesIn = (received: string): string[] => received.match(/<\d+>/g) ?? [];

describe('requests of one connection', () => {
  it('are handled one at a time and get their responses in order', async () => {
    const count = 400;
    let active = 0;
    let maxActive = 0;
    const url = await serving(
      createServer(
        oneAtATime((incoming, response) => {
          active += 1;
          maxActive = Math.max(maxActive, active);
          response.once('close', () => (active -= 1));
          let length = 0;
          incoming.on('data', (chunk: Buffer) => (length += chunk.length));
          incoming.on('end', () => setImmediate(() => response.end(`<${String(length)}>`)));
        }),
      ),
    );
    const bodies = Array.from({ length: count }, (_, number) => 'x'.repeat((number * 37) % 3_000));
    const received = await rawExchange(
      url,
      bodies.map((body, number) => request(number, body)),
      (text) => responsesIn(text).length === count,
    );
    expect(responsesIn(received)).toEqual(bodies.map(({ length }) => `<${String(length)}>`));
    expect(maxActive).toBe(1);
  });

  it('are not read while one waits, so that a caller that does not read cannot send more', async () => {
    let seen = 0;
    const handle = oneAtATime(() => undefined);
    const url = await serving(
      createServer((incoming, response) => {
        seen += 1;
        handle(incoming, response);
      }),
    );
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    // More than the kernel takes from a caller whose server does not read.
    const sent = 400_000;
    for (let number = 0; number < sent; number += 1_000) socket.write(request(1).repeat(1_000));
    await eventually(() => seen > 1);
    const stopped = seen;
    await rawExchange(url, [request(1)], () => seen > stopped, 5_000).catch(() => undefined);
    expect(seen).toBeLessThan(2_000);
    expect(socket.writableLength).toBeGreaterThan(0);
    socket.destroy();
  });
});

describe('waiting requests of all connections', () => {
  /** Opens connections whose first request gets no response, with `text` behind it. One waits before the others. */
  async function stalled(count: number, text: string): Promise<Socket[]> {
    let seen = 0;
    const handle = oneAtATime(() => undefined);
    const made = createServer((incoming, response) => {
      seen += 1;
      handle(incoming, response);
    });
    const port = Number(new URL(await serving(made)).port);
    const perCaller = text.split('HTTP/1.1').length;
    const sockets: Socket[] = [];
    const open = (): void => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined).resume();
      socket.write(request(1) + text);
      sockets.push(socket);
    };
    open();
    await eventually(() => seen >= perCaller);
    while (sockets.length < count) open();
    await eventually(() => seen >= count * perCaller);
    return sockets;
  }

  it('are limited: the connection that has waited longest is closed, not that of the next caller', async () => {
    // 20 connections with 500 waiting requests each, and one more.
    const [first, ...others] = await stalled(21, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(500));
    await eventually(() => first?.destroyed === true);
    expect(others.filter(({ destroyed }) => destroyed)).toEqual([]);
    for (const socket of others) socket.destroy();
  });

  it('with a body are limited to those of 512 connections', async () => {
    const [first, ...others] = await stalled(513, request(2, 'x'));
    await eventually(() => first?.destroyed === true);
    expect(others.filter(({ destroyed }) => destroyed)).toEqual([]);
    for (const socket of others) socket.destroy();
  });
});

describe('a stalled connection', () => {
  const large = 'x'.repeat(20_000_000);

  it('is destroyed even if its caller continues to send', async () => {
    const made = createServer((_request, response) => response.end(large));
    const end = destroyStalled(made, { limitMs: 200, isShort: () => false });
    const url = await serving(made);
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let closed = false;
    socket.on('error', () => undefined);
    socket.once('close', () => (closed = true));
    socket.pause();
    socket.write(request(1));
    await eventually(() => {
      if (!closed) socket.write('x');
      return closed;
    });
    end();
  });

  it('is not destroyed while it takes bytes slowly or has none to take', async () => {
    const larger = large + large;
    /** More than the kernel takes of a connection. */
    const step = 10_000_000;
    const limitMs = 200;
    const callers: Socket[] = [];
    let received = 0;
    let readable = step;
    let clock = 0;
    // A clock of its own: on a slow machine, the limit may pass without a chance to take bytes.
    const tick = (): number => {
      if (received > larger.length) clock += limitMs;
      else if (received >= readable) {
        clock += 0.6 * limitMs;
        readable += step;
        for (const caller of callers) caller.resume();
      }
      return clock;
    };
    // Without the limit of Node for idle connections.
    const made = createServer({ keepAliveTimeout: 0 }, (_request, response) => response.end(larger));
    const end = destroyStalled(made, { limitMs, now: tick, isShort: () => true });
    const caller = connect(Number(new URL(await serving(made)).port), '127.0.0.1');
    callers.push(caller);
    caller.on('error', () => undefined);
    caller.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received >= readable) caller.pause();
    });
    caller.write(request(1));
    await eventually(() => caller.destroyed || clock > 10 * limitMs);
    expect([caller.destroyed, received > larger.length]).toEqual([false, true]);
    caller.destroy();
    end();
  });

  it.each([
    { taken: 1, write: 10_000_000, short: true, destroyed: true },
    { taken: 1, write: 10_000_000, short: false, destroyed: false },
    { taken: 20_000, write: 10_000_000, short: true, destroyed: false },
    { taken: 10_000, write: 40_000, short: true, destroyed: true },
    { taken: 20_000, write: 40_000, short: true, destroyed: false },
  ])(
    'takes $taken bytes of $write in each fourth of the limit, memory is short: $short, is destroyed: $destroyed',
    async (given) => {
      const limitMs = 200;
      let clock = 0;
      let isDestroyed = false;
      const handle = { writeQueueSize: given.write };
      const slow = Object.assign(new EventEmitter(), {
        _handle: handle,
        writableLength: 10_000_000,
        bytesWritten: 10_000_000,
        destroy: () => (isDestroyed = true),
      });
      const made = new EventEmitter();
      const end = destroyStalled(made as Server, {
        limitMs,
        isShort: () => given.short,
        now: () => {
          handle.writeQueueSize -= given.taken;
          if (handle.writeQueueSize === 0) {
            slow.writableLength -= given.write;
            handle.writeQueueSize = given.write;
          }
          return (clock += limitMs / 4);
        },
      });
      made.emit('connection', slow);
      await eventually(() => isDestroyed || clock > 10 * limitMs);
      end();
      expect(isDestroyed).toBe(given.destroyed);
    },
  );
});
