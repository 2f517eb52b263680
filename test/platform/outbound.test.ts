import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addressRule } from '../../platform/outbound/address-rules.ts';
import { guardedRequest, type GuardedRequest } from '../../platform/outbound/guarded-request.ts';
import { OutboundError } from '../../platform/outbound/outbound-error.ts';

let answer: RequestListener = (_request, response) => response.end('ok');
const server = createServer((request, response) => answer(request, response));
beforeAll(async () => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => void server.close(resolve));
});

const port = (): string => String((server.address() as AddressInfo).port);

const call = async (changed: Partial<GuardedRequest> = {}) =>
  guardedRequest({
    url: `http://127.0.0.1:${port()}/hook`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"a":"ü"}',
    timeout: 2_000,
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

describe('addresses', () => {
  const open = addressRule([]);

  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.0.1',
    '2606:4700::1111',
    '2a00:1450::1',
  ])('passes %s', (address) => expect(open(address)).toBe(true));

  it.each([
    ['private', '10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 fc00::1 fd12::1'],
    ['loopback', '127.0.0.1 127.255.255.254 ::1'],
    ['unspecified', '0.0.0.0 0.1.2.3 ::'],
    ['link-local', '169.254.0.1 fe80::1'],
    ['metadata', '169.254.169.254 100.100.100.200 168.63.129.16 192.0.0.192 fd00:ec2::254'],
    ['multicast and broadcast', '224.0.0.1 239.255.255.255 255.255.255.255 240.0.0.1 ff02::1'],
    ['mapped and compatible', '::ffff:127.0.0.1 ::ffff:8.8.8.8 ::7f00:1'],
    ['6to4, Teredo and NAT64', '2002:7f00:1:: 192.88.99.1 2001::1 64:ff9b::7f00:1 64:ff9b:1::1'],
    ['documentation and benchmarks', '192.0.2.1 198.51.100.1 203.0.113.1 198.18.0.1 2001:db8::1 3fff::1'],
    ['no', 'localhost 127.1 1 [::1] '],
  ])('refuses %s addresses', (_kind, addresses) => {
    for (const address of addresses.split(' ')) expect([address, open(address)]).toEqual([address, false]);
  });

  it('passes what a list of networks allows, and nothing that only maps to it', () => {
    const allowed = addressRule(['127.0.0.0/8', '10.1.0.0/16', 'fd00::/8']);
    expect(['127.0.0.1', '10.1.2.3', 'fd12::1', '8.8.8.8'].map(allowed)).toEqual([true, true, true, true]);
    expect(['10.2.0.1', '::1', '::ffff:127.0.0.1', 'fe80::1'].map(allowed)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});

describe('a guarded call', () => {
  it('sends what it was given and answers what came', async () => {
    const seen: unknown[] = [];
    answer = (request, response) => {
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
      expect.objectContaining({ host: `127.0.0.1:${port()}`, 'content-length': '10', connection: 'close' }),
      '{"a":"ü"}',
    ]);
  });

  it('reads no more of an answer than it may', async () => {
    answer = (_request, response) => {
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
    let asked = 0;
    answer = (_request, response) => {
      asked += 1;
      response.writeHead(302, { location: '/elsewhere' });
      response.end();
    };
    expect((await call()).status).toBe(302);
    expect(asked).toBe(1);
  });

  it('goes through no proxy, whatever the environment says', async () => {
    answer = (_request, response) => response.end('direct');
    process.env['HTTP_PROXY'] = 'http://127.0.0.1:1';
    process.env['NODE_USE_ENV_PROXY'] = '1';
    try {
      expect((await call()).body.toString()).toBe('direct');
    } finally {
      delete process.env['HTTP_PROXY'];
      delete process.env['NODE_USE_ENV_PROXY'];
    }
  });

  it('refuses a private address in every way of writing it, and every name that leads to one', async () => {
    let asked = 0;
    answer = (_request, response) => {
      asked += 1;
      response.end();
    };
    for (const host of [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      'localhost',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '0',
    ])
      expect(await reason({ url: `http://${host}:${port()}/`, allowedNetworks: [] })).toBe('address-refused');
    expect(asked).toBe(0);
  });

  it('refuses URLs that are not plain http(s)', async () => {
    for (const url of [
      'ftp://example.com/',
      'http://user:pass@example.com/',
      'http://user@example.com/',
      'http://example.com/#part',
      'file:///etc/passwd',
      'nonsense',
      '',
    ])
      expect(await reason({ url })).toBe('url-refused');
  });

  it('fails within its time when the server hangs before, or in the middle of, its answer', async () => {
    answer = () => undefined;
    expect(await reason({ timeout: 100 })).toBe('timed-out');
    answer = (_request, response) => void response.write('a');
    expect(await reason({ timeout: 100 })).toBe('timed-out');
  });

  it('is given up when its caller says so', async () => {
    answer = () => undefined;
    expect(await reason({ signal: AbortSignal.timeout(50) })).toBe('cancelled');
    expect(await reason({ signal: AbortSignal.abort() })).toBe('cancelled');
  });

  it('tells connection, name and request faults apart', async () => {
    answer = (request) => request.socket.destroy();
    expect(await reason({})).toBe('connection-failed');
    expect(await reason({ url: 'http://127.0.0.1:1/' })).toBe('connection-failed');
    expect(await reason({ url: 'http://nowhere.invalid/' })).toBe('not-resolved');
    expect(await reason({ headers: { authorization: 'two\nlines' } })).toBe('request-refused');
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '50' });
      response.write('less');
      response.destroy();
    };
    expect(await reason({})).toBe('connection-failed');
  });
});
