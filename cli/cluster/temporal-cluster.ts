import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { servesNamespace } from '../../local/ask-temporal.ts';
import { readIfThere } from '../../local/files.ts';
import { choosePort } from '../../local/ports.ts';
import { identify, stopProcess } from '../../local/processes.ts';
import { runCommand, errorLine } from '../../local/run-command.ts';
import { StartFailure } from '../../local/start-failure.ts';
import type { ComposeFile } from './compose-file.ts';

export interface TemporalClusterOptions {
  readonly compose: ComposeFile;
  readonly folder: string;
  readonly binaries: { readonly server: string; readonly sql: string; readonly cli: string };
  readonly postgresPort: number;
  readonly namespace: string;
}

/** The services `temporal-schema`, `temporal` and `temporal-namespace`, without containers. */
export async function startTemporalCluster(
  options: TemporalClusterOptions,
): Promise<{ readonly address: string; readonly pid: number; stop(): Promise<void> }> {
  const { compose, folder, binaries, postgresPort, namespace } = options;
  await runJob(
    options,
    'temporal-schema',
    { 'temporal-sql-tool': binaries.sql },
    {
      SQL_HOST: '127.0.0.1',
      SQL_PORT: String(postgresPort),
    },
  );
  const dynamicConfig = join(folder, 'temporal-dynamic-config.yaml');
  await writeFile(dynamicConfig, compose.config('temporal-dynamic-config'));
  const ports = await freePorts();
  const log = join(folder, 'temporal-cluster.log');
  const output = openSync(log, 'w', 0o600);
  const child = spawn(binaries.server, ['--allow-no-auth', 'start'], {
    detached: true,
    stdio: ['ignore', output, output],
    env: {
      ...process.env,
      ...compose.service('temporal').environment,
      ...ports,
      POSTGRES_SEEDS: '127.0.0.1',
      DB_PORT: String(postgresPort),
      BIND_ON_IP: '127.0.0.1',
      DYNAMIC_CONFIG_FILE_PATH: dynamicConfig,
    },
  });
  closeSync(output);
  const { pid } = child;
  if (pid === undefined) throw new StartFailure(`${binaries.server} could not be started.`);
  const stop = async () => {
    const server = await identify(pid);
    if (server) await stopProcess(server, 15_000);
  };
  const address = `127.0.0.1:${ports['FRONTEND_GRPC_PORT']}`;
  try {
    await whenServing(address, async () => {
      if (child.exitCode === null) return;
      throw new StartFailure(
        `The Temporal server ended: ${errorLine((await readIfThere(log)) ?? '')} (its log: ${log}).`,
      );
    });
    await runJob(options, 'temporal-namespace', { temporal: binaries.cli }, { TEMPORAL_ADDRESS: address });
    await whenServing(address, async () => undefined, namespace);
  } catch (error) {
    await stop();
    throw error;
  }
  return { address, pid, stop };
}

/** Runs a one-shot service; `programs` maps the program names of its image to local paths. */
async function runJob(
  { compose, folder }: TemporalClusterOptions,
  name: string,
  programs: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const { command, environment: named } = compose.service(name);
  const bin = await mkdtemp(join(folder, 'bin-'));
  for (const [program, path] of Object.entries(programs)) {
    if (path !== program) await symlink(resolve(path), join(bin, program));
  }
  const run = await runCommand('sh', ['-euc', command.join(' ')], {
    environment: { ...process.env, ...named, ...environment, PATH: `${bin}:${process.env['PATH']}` },
    timeoutMs: 120_000,
  });
  if (!run.ok) throw new StartFailure(`The job ${name} failed: ${errorLine(run.output)}.`);
}

const portVariables = [
  'FRONTEND_GRPC_PORT',
  'FRONTEND_HTTP_PORT',
  'FRONTEND_MEMBERSHIP_PORT',
  'HISTORY_GRPC_PORT',
  'HISTORY_MEMBERSHIP_PORT',
  'MATCHING_GRPC_PORT',
  'MATCHING_MEMBERSHIP_PORT',
  'WORKER_GRPC_PORT',
  'WORKER_MEMBERSHIP_PORT',
];

async function freePorts(): Promise<Record<string, string>> {
  const taken = new Set<number>();
  while (taken.size < portVariables.length) taken.add(await choosePort(undefined));
  const ports = [...taken];
  return Object.fromEntries(portVariables.map((name, index) => [name, String(ports[index])]));
}

async function whenServing(
  address: string,
  check: () => Promise<void>,
  namespace = 'temporal-system',
): Promise<void> {
  const until = Date.now() + 60_000;
  while (!(await servesNamespace(address, namespace))) {
    await check();
    if (Date.now() > until)
      throw new StartFailure(`The Temporal server at ${address} does not serve ${namespace}.`);
    await pause(100);
  }
}
