import { afterAll, describe, expect, it } from '@jest/globals';
import Koa from 'koa';
import { ConnectionLimit } from '../../../../api/http/connection/connection-limit.ts';
import { listen } from '../../../../api/http/connection/server.ts';
import { startTestApi } from '../../../support/api.ts';
import { eventually, repeatUntil } from '../../../support/eventually.ts';
import { aTenant } from '../../../support/factories.ts';
import { startProcess, type TestProcess } from '../../../support/processes.ts';
import { aRawCaller, headOf, type RawCaller } from '../../../support/raw-caller.ts';

const first = await startTestApi();
afterAll(first.close);
const { database } = first;

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: steward\r\n\r\n`;

function hasEnded(pid: number): boolean {
  try {
    return !process.kill(pid, 0);
  } catch {
    return true;
  }
}

/** Opens connections that have sent no whole request head, two of them after a response. */
async function withoutHeads({ url }: TestProcess): Promise<readonly RawCaller[]> {
  const callers = await Promise.all(Array.from({ length: 4 }, async () => aRawCaller(url)));
  const [, half, served, behind] = callers;
  await half?.write('GET /healthz HTTP/1.1\r\nHost: st');
  for (const caller of [served, behind]) {
    await caller?.write(get('/healthz'));
    await caller?.until(/"ok"/);
  }
  await behind?.write('GET /healthz HTTP/1.1\r\nHost: st');
  return callers;
}

const drains = (api: TestProcess): boolean => api.log.some((line) => line.includes('"draining"'));

describe('an API after SIGTERM', () => {
  it('serves for the drain delay, not ready, and closes each connection after its response', async () => {
    const { headers } = await aTenant(first);
    const api = await startProcess('api', database.url, { STEWARD_DRAIN_DELAY: '5m' });
    const [one, other, reading] = [
      await aRawCaller(api.url),
      await aRawCaller(api.url),
      await aRawCaller(api.url),
    ];
    await one.write(get('/healthz'));
    expect(await one.until(/"ok"/)).toMatch(/^HTTP\/1\.1 200 .*keep-alive/is);
    const body = { 'Content-Type': 'application/json', 'Content-Length': 11, Expect: '100-continue' };
    await reading.write(headOf('/v2/organizations/get', { ...headers, ...body }));
    await reading.until(/100 Continue/);
    process.kill(api.pid, 'SIGTERM');
    await eventually(() => drains(api));
    await one.write(get('/readyz'));
    const notReady = (await one.until(/about to stop/)).slice(one.received().lastIndexOf('HTTP/1.1'));
    expect(notReady).toMatch(/^HTTP\/1\.1 503 /);
    expect(notReady).toMatch(/^Connection: close\r$/im);
    await eventually(() => one.ended());
    // Also a connection that was open before, and a new one.
    for (const caller of [other, await aRawCaller(api.url)]) {
      await caller.write(get('/openapi.json'));
      expect(await caller.until(/"openapi"/)).toMatch(/^HTTP\/1\.1 200 .*^Connection: close\r$/ims);
      await eventually(() => caller.ended());
    }
    // Also that of a request whose body it was reading.
    await reading.write('{"data":{}}');
    await eventually(() => reading.ended());
    expect(reading.received()).toMatch(/^HTTP\/1\.1 200 .*^Connection: close\r$/ims);
    await api.kill();
  });

  it('stops once the delay has passed, with 0, and does not wait for connections without a whole request head', async () => {
    let delayMs = 500;
    // A slow machine may complete the head after the delay.
    await repeatUntil(async () => {
      delayMs *= 2;
      const api = await startProcess('api', database.url, {
        STEWARD_DRAIN_DELAY: `${String(delayMs / 1_000)}s`,
      });
      const callers = await withoutHeads(api);
      const late = await aRawCaller(api.url);
      const began = performance.now();
      process.kill(api.pid, 'SIGTERM');
      await eventually(() => drains(api));
      await late.write('GET /healthz HTTP/1.1\r\nHost: st');
      await late.write('eward\r\n\r\n');
      await eventually(() => hasEnded(api.pid));
      const tookMs = performance.now() - began;
      expect(tookMs).toBeGreaterThanOrEqual(delayMs - 10);
      expect(tookMs).toBeLessThan(delayMs + 10_000);
      expect(await api.stop()).toBe(0);
      for (const { socket } of [...callers, late]) socket.destroy();
      return /^HTTP\/1\.1 200 .*"ok"/s.test(late.received());
    });
  });
});

describe('a server that closes connections after their responses', () => {
  it('responds to each request that a connection sent before', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let reached = false;
    const application = new Koa();
    application.use(async (context) => {
      const isFirst = context.path === '/1';
      reached = true;
      if (isFirst) await released;
      context.body = isFirst ? 'first' : 'second';
    });
    const server = await listen(application, {
      port: 0,
      host: '127.0.0.1',
      connections: new ConnectionLimit(10),
      linger: { maxBytes: 0, maxMs: 0 },
      headWithinMs: 60_000,
      idleWithinMs: 60_000,
      isShort: () => false,
      logger: { warn: () => undefined } as never,
      metrics: { refused: () => undefined } as never,
    });
    const caller = await aRawCaller(`http://127.0.0.1:${String(server.port)}`);
    await caller.write(get('/1') + get('/2'));
    await eventually(() => reached);
    server.closeAfterResponses();
    release();
    await eventually(() => caller.ended());
    const [first = '', second = ''] = caller.received().split('first');
    expect(first).not.toMatch(/^Connection: close\r$/im);
    expect(second).toMatch(/^Connection: close\r$.*second/ims);
    await server.close();
  });
});

describe('an API after SIGINT', () => {
  it('stops without the delay, and does not wait for connections without a whole request head', async () => {
    const api = await startProcess('api', database.url, { STEWARD_DRAIN_DELAY: '5m' });
    const callers = await withoutHeads(api);
    const began = performance.now();
    process.kill(api.pid, 'SIGINT');
    await eventually(() => hasEnded(api.pid));
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(drains(api)).toBe(false);
    for (const { socket } of callers) socket.destroy();
  });
});
