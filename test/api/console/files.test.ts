import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import Koa from 'koa';
import { consoleFiles } from '../../../api/console/files.ts';
import type { RequestState, Routed } from '../../../api/http/middleware/state.ts';
import { startTestApi } from '../../support/api.ts';
import { aStranger } from '../../support/factories.ts';

const folder = await mkdtemp(join(tmpdir(), 'console-'));
const server = new Koa<RequestState, Routed>()
  .use(consoleFiles(pathToFileURL(`${folder}/`)))
  .listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
const api = await startTestApi();
const off = await startTestApi({ database: api.database, environment: { STEWARD_CONSOLE: 'off' } });
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
  await off.close();
  await api.close();
});

const styled = '<!doctype html><style nonce="__STEWARD_NONCE__"></style>';

async function build(index: string): Promise<void> {
  await mkdir(join(folder, 'assets'), { recursive: true });
  await writeFile(join(folder, 'assets', 'main-1a2b.js'), 'void 0;'.repeat(200));
  await writeFile(join(folder, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  await writeFile(join(folder, 'index.html'), index);
}

describe('the files of the console', () => {
  it('are replaced by a notice until they are built', async () => {
    const response = await fetch(`${url}/console/organizations`);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('3');
    expect(await response.text()).toContain('The console is not built yet.');
  });

  it('return the page at every path without a file, with a new nonce each time', async () => {
    await build(styled);
    const nonces = new Set<string>();
    for (const path of [
      '/console',
      '/console/organizations/o-1?page=2',
      '/console/index.html',
      '/console/x.js',
    ]) {
      const response = await fetch(`${url}${path}`);
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'text/html; charset=utf-8',
      ]);
      const policy = response.headers.get('content-security-policy') ?? '';
      const [, nonce = ''] = /'nonce-([\w-]{24})'/.exec(policy) ?? [];
      expect(await response.text()).toBe(styled.replace('__STEWARD_NONCE__', nonce));
      expect(policy).toBe(
        `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self'; ` +
          "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(4);
  });

  it('are compressed, and cached permanently when their names contain a hash', async () => {
    const { headers, ...response } = await getRaw('/console/assets/main-1a2b.js', 'gzip');
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(response.text).toBe('void 0;'.repeat(200));
    const plain = await getRaw('/console/assets/main-1a2b.js', 'identity');
    expect([plain.headers.get('content-encoding'), plain.text]).toEqual([null, response.text]);
    const icon = await getRaw('/console/icon.svg', 'gzip');
    expect([icon.headers.get('content-type'), icon.headers.get('cache-control')]).toEqual([
      'image/svg+xml',
      null,
    ]);
  });

  it('are served from their folder only, and a missing asset is not the page', async () => {
    expect((await fetch(`${url}/console/assets/none.js`)).status).toBe(404);
    for (const path of ['/console/%2e%2e/package.json', '/console/..%2fpackage.json'])
      expect(await (await fetch(`${url}${path}`)).text()).not.toContain('"steward"');
  });

  it('are replaced by a new build', async () => {
    await build('<!doctype html><title>second</title>');
    expect(await (await fetch(`${url}/console`)).text()).toContain('second');
  });
});

/** Uses Node’s fetch, which decompresses. */
async function getRaw(path: string, encoding: string) {
  const response = await fetch(`${url}${path}`, { headers: { 'accept-encoding': encoding } });
  return { headers: response.headers, text: await response.text() };
}

describe('every response of the console', () => {
  it('forbids foreign scripts, frames, sniffing, referrers and storing', async () => {
    for (const [path, method] of [
      ['/console/session', 'GET'],
      ['/console/api/v2/organizations/get', 'POST'],
      ['/console/api/v2/none', 'POST'],
      ['/console', 'GET'],
    ] as const) {
      const { headers } = await aStranger(api).call(path, undefined, { method });
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringMatching(/^default-src 'none'.*frame-ancestors 'none'$/),
      });
    }
  });

  it('does not exist with STEWARD_CONSOLE=off', async () => {
    for (const [path, method] of [
      ['/console', 'GET'],
      ['/console/session', 'POST'],
      ['/console/api/v2/organizations/get', 'POST'],
    ] as const)
      expect(await aStranger(off).refused(path, undefined, { method })).toMatchObject({ http: 404 });
  });
});
