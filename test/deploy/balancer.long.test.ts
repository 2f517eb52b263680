import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { choosePort } from '../../local/ports.ts';
import { startTestApi } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { obtainHaProxy } from '../support/haproxy.ts';

const haProxy = await obtainHaProxy();
if (typeof haProxy === 'string') process.stderr.write(`${haProxy}\n`);
const describeWithHaProxy = typeof haProxy === 'string' ? describe.skip : describe;
const [command = '', ...first] = typeof haProxy === 'string' ? [] : haProxy;

let folder: string;
let settings: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steward-balancer-'));
  const { configs } = parse(await readFile('docker-compose.yml', 'utf8'), { merge: true }) as {
    configs: Readonly<Record<string, { content: string }>>;
  };
  settings = configs['balancer']?.content ?? '';
});
afterAll(async () => await rm(folder, { recursive: true }));

async function run(text: string, ...options: readonly string[]) {
  const path = join(folder, 'haproxy.cfg');
  await writeFile(path, text);
  return spawn(command, [...first, ...options, '-f', path], { stdio: ['ignore', 'pipe', 'pipe'] });
}

describeWithHaProxy('the balancer of docker-compose.yml', () => {
  it('has a configuration that HAProxy accepts without a warning', async () => {
    const child = await run(settings.replaceAll('api:3000', '127.0.0.1:3000'), '-c');
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)));
    const [status] = (await once(child, 'close')) as [number];
    expect([status, output.replace(/Configuration file is valid\n/, '')]).toEqual([0, '']);
  });

  it('forwards to an API that is ready, with the address of the caller', async () => {
    const api = await startTestApi({ environment: { STEWARD_TRUSTED_PROXIES: '127.0.0.1/32' } });
    const port = await choosePort(undefined);
    // Without containers, a server replaces Docker's name server.
    const native = settings
      .replace('bind :3000', `bind 127.0.0.1:${String(port)}`)
      .replaceAll(/server-template .*/g, `server api1 127.0.0.1:${new URL(api.url).port}`);
    const child = await run(native, '-db');
    const exit = once(child, 'close');
    try {
      const url = `http://127.0.0.1:${String(port)}`;
      await eventually(async () => (await fetch(`${url}/healthz`).catch(() => undefined))?.ok === true);
      const send = async () =>
        await fetch(`${url}/v2/organizations/get`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'x-forwarded-for': '203.0.113.7',
            connection: 'close',
          },
          body: '{}',
        });
      // On a busy machine, a health check may time out; HAProxy then returns 503 until the next check.
      const response = await eventually(async () => {
        const found = await send();
        return found.status === 401 && found;
      });
      const line = api.accessLine(response.headers.get('x-request-id') ?? '');
      // HAProxy appends the address that connects to it, which the API trusts.
      expect(line).toMatchObject({ address: '203.0.113.7' });
    } finally {
      child.kill('SIGKILL');
      await exit;
      await api.close();
    }
  });
});
