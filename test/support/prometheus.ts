import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choosePort } from '../../local/ports.ts';
import { obtainDebianProgram, type Program } from './debian-programs.ts';
import { eventually } from './eventually.ts';

const packages = ['prometheus', 'promtool', 'libc6'];

/** Returns Debian's Prometheus server or its tool, or a line with the reason why it is not available. */
export const obtainPrometheus = async (program: 'prometheus' | 'promtool'): Promise<Program | string> =>
  obtainDebianProgram({ name: 'prometheus', packages, path: `usr/bin/${program}` });

/** `health` is `unknown` before the first evaluation. A rule is `pending` as soon as its expression is true. */
interface EvaluatedRule {
  readonly name: string;
  readonly state: 'inactive' | 'pending' | 'firing';
  readonly health: 'ok' | 'unknown' | 'err';
}

/** A Prometheus server that runs until it is stopped. */
export interface Prometheus {
  /** Names of the rules whose expression is true. Throws unless every rule has been evaluated without an error. */
  pendingOrFiring(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** Starts a server with this configuration text, whose paths must be absolute. */
export async function startPrometheus(
  [command, ...first]: Program,
  configuration: string,
): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-prometheus-'));
  const file = join(folder, 'prometheus.yml');
  await writeFile(file, configuration);
  const address = `127.0.0.1:${String(await choosePort(undefined))}`;
  const options = [
    `--config.file=${file}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=${address}`,
  ];
  const child = spawn(command, [...first, ...options], { stdio: 'ignore' });
  const exit = once(child, 'exit');
  const ask = async (path: string): Promise<unknown> => {
    const response = await fetch(`http://${address}${path}`);
    if (!response.ok) throw new Error(`HTTP status ${String(response.status)}`);
    return response.json();
  };
  await eventually(async () => ask('/api/v1/status/runtimeinfo'));
  return {
    async pendingOrFiring() {
      const { data } = (await ask('/api/v1/rules')) as { data: { groups: { rules: EvaluatedRule[] }[] } };
      const rules = data.groups.flatMap(({ rules }) => rules);
      const failed = rules.filter(({ health }) => health !== 'ok').map(({ name }) => name);
      if (rules.length === 0 || failed.length > 0) throw new Error(`Not evaluated: ${failed.join(', ')}`);
      return rules.filter(({ state }) => state !== 'inactive').map(({ name }) => name);
    },
    async stop() {
      child.kill('SIGKILL');
      await exit;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
