import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Koa from 'koa';
import { ConnectionLimit } from '../../../../api/http/connection/connection-limit.ts';
import { listen } from '../../../../api/http/connection/server.ts';
import { startTestApi } from '../../../support/api.ts';
import { aDatabase, type TestDatabase } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';
import { aTenant } from '../../../support/factories.ts';
import { startProcess } from '../../../support/processes.ts';
import { aRawCaller, headOf } from '../../../support/raw-caller.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await aDatabase();
});
afterAll(() => database.drop());

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: steward\r\n\r\n`;

function hasEnded(pid: number): boolean {
  try {
    return !process.kill(pid, 0);
  } catch {
    return true;
  }
}

describe('an API after SIGTERM', () => {
  it('serves for the drain delay, not ready, and closes each connection after its response', async () => {
    const api = await startProcess('api', database.url, { STEWARD_DRAIN_DELAY: '5m' });
    const [first, second] = [await aRawCaller(api.url), await aRawCaller(api.url)];
    await first.write(get('/healthz'));
    expect(await first.until(/"ok"/)).toMatch(/^HTTP\/1\.1 200 .*keep-alive/is);
    process.kill(api.pid, 'SIGTERM');
    await eventually(() => api.log.some((line) => line.includes('"draining"')));
    await first.write(get('/readyz'));
    const notReady = (await first.until(/about to stop/)).slice(first.received().lastIndexOf('HTTP/1.1'));
    expect(notReady).toMatch(/^HTTP\/1\.1 503 /);
    expect(notReady).toMatch(/^Connection: close\r$/im);
    await eventually(() => first.ended());
    // Also a connection that was open before, and a new one.
    for (const caller of [second, await aRawCaller(api.url)]) {
      await caller.write(get('/openapi.json'));
      expect(await caller.until(/"openapi"/)).toMatch(/^HTTP\/1\.1 200 .*^Connection: close\r$/ims);
      await eventually(() => caller.ended());
    }
    await api.kill();
  });

  it('also closes the connection of a request that it is reading', async () => {
    const first = await startTestApi();
    const { headers } = await aTenant(first);
    const api = await startProcess('api', first.database.url, { STEWARD_DRAIN_DELAY: '5m' });
    const caller = await aRawCaller(api.url);
    const body = { 'Content-Type': 'application/json', 'Content-Length': 11, Expect: '100-continue' };
    await caller.write(headOf('/v2/organizations/get', { ...headers, ...body }));
    await caller.until(/100 Continue/);
    process.kill(api.pid, 'SIGTERM');
    await eventually(() => api.log.some((line) => line.includes('"draining"')));
    await caller.write('{"data":{}}');
    await eventually(() => caller.ended());
    expect(caller.received()).toMatch(/^HTTP\/1\.1 200 .*^Connection: close\r$/ims);
    await api.kill();
    await first.close();
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'does not wait for connections without a whole request head: %s',
    async (signal) => {
      const api = await startProcess('api', database.url, { STEWARD_DRAIN_DELAY: '1s' });
      const callers = await Promise.all(Array.from({ length: 4 }, async () => aRawCaller(api.url)));
      const [, half, served, behind] = callers;
      await half?.write('GET /healthz HTTP/1.1\r\nHost: st');
      for (const caller of [served, behind]) {
        await caller?.write(get('/healthz'));
        await caller?.until(/"ok"/);
      }
      await behind?.write('GET /healthz HTTP/1.1\r\nHost: st');
      const began = performance.now();
      process.kill(api.pid, signal);
      if (signal === 'SIGTERM') {
        await eventually(() => api.log.some((line) => line.includes('"draining"')));
        // A head that is complete before the end of the delay is served.
        const late = await aRawCaller(api.url);
        await late.write('GET /healthz HTTP/1.1\r\nHost: st');
        await late.write('eward\r\n\r\n');
        expect(await late.until(/"ok"/)).toMatch(/^HTTP\/1\.1 200 /);
        late.socket.destroy();
      }
      await eventually(() => hasEnded(api.pid));
      expect(performance.now() - began).toBeLessThan(10_000);
      for (const { socket } of callers) socket.destroy();
    },
  );

  it('stops once the delay has passed, and exits with 0', async () => {
    const api = await startProcess('api', database.url, { STEWARD_DRAIN_DELAY: '1s' });
    const began = performance.now();
    expect(await api.stop()).toBe(0);
    expect(performance.now() - began).toBeGreaterThanOrEqual(990);
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
  it('stops without the delay', async () => {
    const api = await startProcess('api', database.url, { STEWARD_DRAIN_DELAY: '5m' });
    process.kill(api.pid, 'SIGINT');
    await eventually(() => hasEnded(api.pid));
    expect(api.log.some((line) => line.includes('"draining"'))).toBe(false);
  });
});
