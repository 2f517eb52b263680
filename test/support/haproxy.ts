import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choosePort } from '../../local/ports.ts';
import { obtainDebianProgram, type Program } from './debian-programs.ts';
import { eventually } from './eventually.ts';

/** A running HAProxy. */
export interface HaProxy {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Returns Debian's HAProxy with every library it needs, or a line with the reason why it is not available. */
export const obtainHaProxy = async (): Promise<Program | string> =>
  obtainDebianProgram({
    name: 'haproxy',
    path: 'usr/sbin/haproxy',
    versionOption: '-v',
    packages: [
      'haproxy',
      'libc6',
      'libcrypt1',
      'libgcc-s1',
      'libjemalloc2',
      'liblua5.4-0',
      'libopentracing1',
      'libopentracing-c-wrapper0t64',
      'libpcre2-8-0',
      'libssl3t64',
      'libstdc++6',
      'libzstd1',
      'zlib1g',
    ],
  });

export interface HaProxyOptions {
  /** Routes the small writes of a key to one API. Default: true. */
  readonly writesByKey?: boolean;
}

/** Balances over local APIs as docs/deployment.md recommends. */
export async function startHaProxy(
  [command, ...first]: Program,
  ports: readonly number[],
  { writesByKey = true }: HaProxyOptions = {},
): Promise<HaProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-haproxy-'));
  const port = await choosePort(undefined);
  const settings = join(folder, 'haproxy.cfg');
  const servers = ports
    .map((one, index) => `  server api${String(index + 1)} 127.0.0.1:${String(one)}`)
    .join('\n');
  await writeFile(
    settings,
    `defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  timeout check 5s
  option httpchk GET /readyz
  option redispatch
  default-server check inter 500ms fall 2 rise 1
frontend callers
  bind 127.0.0.1:${String(port)}
  ${writesByKey ? 'use_backend writes if { path_end /documents/add /activities/add }' : ''}
  default_backend steward
backend steward
  balance leastconn
${servers}
backend writes
  balance hdr(x-svc-api-key)
  hash-type consistent
${servers}
`,
  );
  const child = spawn(command, [...first, '-db', '-f', settings], { stdio: 'ignore' });
  const exit = once(child, 'exit');
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} did not start.`);
  const url = `http://127.0.0.1:${String(port)}`;
  await eventually(async () => (await fetch(`${url}/healthz`).catch(() => undefined))?.ok === true);
  return {
    url,
    pid,
    async stop() {
      child.kill('SIGKILL');
      await exit;
      await rm(folder, { recursive: true });
    },
  };
}
