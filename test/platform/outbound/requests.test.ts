import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { guardedRequest, type GuardedRequest } from '../../../platform/outbound/guarded-request.ts';
import { OutboundError } from '../../../platform/outbound/outbound-error.ts';

let respond: RequestListener = (_request, response) => response.end('ok');
const server = createServer((request, response) => respond(request, response));
beforeAll(async () => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => void server.close(resolve));
});

const port = (): string => String((server.address() as AddressInfo).port);

const call = async (changed: Partial<GuardedRequest> = {}) =>
  guardedRequest({
    owner: 'owner',
    url: `http://127.0.0.1:${port()}/hook`,
    headers: { 'content-type': 'application/json' },
    body: '{"a":"ü"}',
    timeoutMs: 50_000,
    maxResponseBytes: 100,
    allowedNetworks: ['127.0.0.0/8', '::1/128'],
    ...changed,
  });

async function reason(changed: Partial<GuardedRequest>): Promise<string> {
  const error: unknown = await call(changed).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof OutboundError))
    throw new Error('It did not fail as a call outside fails.', { cause: error });
  return error.reason;
}

describe('a guarded request', () => {
  it('sends its content and returns the response', async () => {
    const seen: unknown[] = [];
    respond = (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        seen.push(request.method, request.url, request.headers, Buffer.concat(chunks).toString());
        response.writeHead(201, { 'x-own': 'yes' });
        response.end('done');
      });
    };
    const { status, headers, body, cut } = await call();
    expect([status, headers['x-own'], body.toString(), cut]).toEqual([201, 'yes', 'done', false]);
    expect(seen).toEqual([
      'POST',
      '/hook',
      expect.objectContaining({ host: `127.0.0.1:${port()}`, 'content-length': '10' }),
      '{"a":"ü"}',
    ]);
  });

  it('returns the first value of a header that the server repeats', async () => {
    respond = (_request, response) => {
      response.writeHead(200, { 'x-own': ['one', 'two'] }).end();
    };
    expect((await call()).headers['x-own']).toBe('one');
  });

  it('reads at most maxResponseBytes of a response', async () => {
    respond = (_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    const { body, cut } = await call();
    expect([body.length, cut]).toEqual([100, true]);
  });

  it('follows no redirect', async () => {
    let requests = 0;
    respond = (_request, response) => {
      requests += 1;
      response.writeHead(302, { location: '/elsewhere' });
      response.end();
    };
    expect((await call()).status).toBe(302);
    expect(requests).toBe(1);
  });

  it('uses no proxy of the environment', async () => {
    respond = (_request, response) => response.end('direct');
    process.env['HTTP_PROXY'] = 'http://127.0.0.1:1';
    process.env['NODE_USE_ENV_PROXY'] = '1';
    try {
      expect((await call()).body.toString()).toBe('direct');
    } finally {
      delete process.env['HTTP_PROXY'];
      delete process.env['NODE_USE_ENV_PROXY'];
    }
  });

  it('times out when the server hangs before or during its response', async () => {
    respond = () => undefined;
    expect(await reason({ timeoutMs: 100 })).toBe('timed-out');
    respond = (_request, response) => void response.write('a');
    expect(await reason({ timeoutMs: 100 })).toBe('timed-out');
  });

  it('times out on a slow response and on endless informational responses', async () => {
    const every10ms = (response: ServerResponse, drip: () => void): void => {
      const timer = setInterval(drip, 10);
      response.once('close', () => clearInterval(timer));
    };
    respond = (_request, response) => every10ms(response, () => response.write('.'));
    expect(await reason({ timeoutMs: 200 })).toBe('timed-out');
    respond = (_request, response) => every10ms(response, () => response.writeProcessing());
    expect(await reason({ timeoutMs: 200 })).toBe('timed-out');
  });

  it('returns the response after informational ones', async () => {
    respond = (_request, response) => {
      response.writeProcessing();
      response.writeEarlyHints({ link: '</a>; rel=preload' });
      response.writeHead(204).end();
    };
    expect((await call()).status).toBe(204);
  });

  it('fails after 100 Continue, which it does not request', async () => {
    respond = (_request, response) => {
      response.writeContinue();
      response.writeHead(204).end();
    };
    expect(await reason({})).toBe('connection-failed');
  });

  it('does not decompress the response', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    respond = (_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(bomb);
    };
    const { body, cut } = await call({ maxResponseBytes: 16_384 });
    expect([body.equals(bomb.subarray(0, 16_384)), cut]).toEqual([true, true]);
  });

  it('rejects endless headers', async () => {
    respond = (_request, response) => {
      for (let number = 0; number < 1_000; number += 1)
        response.setHeader(`x-${String(number)}`, 'y'.repeat(100));
      response.end();
    };
    expect(await reason({})).toBe('connection-failed');
  });

  it.each([
    ['a chunk extension', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;', 'x'],
    ['a reason phrase', 'HTTP/1.1 200 ', 'x'],
    ['informational responses', '', 'HTTP/1.1 102 Processing\r\n\r\n'],
  ])('fails when the server sends %s without end', async (_name, head, repeated) => {
    const block = repeated.repeat(65_536 / repeated.length);
    let sent = 0;
    respond = ({ socket }) => {
      const more = (): void => {
        while (!socket.destroyed && socket.write(block)) sent += block.length;
        if (!socket.destroyed) socket.once('drain', more);
      };
      socket.write(head);
      more();
    };
    expect(await reason({})).toBe('connection-failed');
    // The limit and the buffers of both sockets.
    expect(sent).toBeLessThan(50_000_000);
  });

  it('does not upgrade to another protocol', async () => {
    respond = (request) => {
      request.socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: any\r\n\r\n');
    };
    expect(await reason({})).toBe('connection-failed');
    respond = (request) => void request.socket.end('220 mail.example ESMTP\r\n');
    expect(await reason({})).toBe('connection-failed');
  });

  it('is canceled by its signal', async () => {
    respond = () => undefined;
    expect(await reason({ signal: AbortSignal.timeout(50) })).toBe('cancelled');
    expect(await reason({ signal: AbortSignal.abort() })).toBe('cancelled');
  });

  it('distinguishes connection, name and request failures', async () => {
    respond = (request) => request.socket.destroy();
    expect(await reason({})).toBe('connection-failed');
    expect(await reason({ url: 'http://127.0.0.1:1/' })).toBe('connection-failed');
    expect(await reason({ url: 'http://nowhere.invalid/' })).toBe('not-resolved');
    expect(await reason({ headers: { authorization: 'two\nlines' } })).toBe('request-refused');
    respond = (_request, response) => {
      response.writeHead(200, { 'content-length': '50' });
      response.write('less');
      response.destroy();
    };
    expect(await reason({})).toBe('connection-failed');
  });
});
