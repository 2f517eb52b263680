import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { memoryEnvironment, nodeOptionsOf } from '../../platform/process/node-options.ts';
import type { LogLine } from './api.ts';
import { eventually } from './eventually.ts';
import { serverEnvironment } from './environment.ts';

/** An API or a worker as a process, like an operator starts it. */
export interface TestProcess {
  readonly pid: number;
  /** URL of an API; a worker has none. */
  readonly url: string;
  readonly log: readonly string[];
  /** Stops it like an orchestrator. Returns its exit code. */
  stop(): Promise<number | null>;
  /** Kills it; see `killed`. */
  kill(): Promise<void>;
}

/** Log event of each program when it is ready. */
const readyLine = { api: 'listening', worker: 'working' } as const;

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Early compilation of hot functions pays off over hours, but processes of tests run for seconds. */
const memoryOptionsOf = (script: string): readonly string[] =>
  nodeOptionsOf(script).filter((option) => option.includes('-space-size='));

/**
 * Starts `api/main.ts` or `worker/main.ts` with the memory limits of production and waits until it is ready.
 * `environment` is that of `startTestApi`; `nodeArguments` precede the program. `folder` selects another release, `until`
 * another log event.
 */
export async function startProcess(
  program: keyof typeof readyLine,
  databaseUrl: string,
  environment: Readonly<Record<string, string>> = {},
  nodeArguments: readonly string[] = [],
  folder: string = root,
  until: string = readyLine[program],
): Promise<TestProcess> {
  const { NODE_OPTIONS: _jests, ...inherited } = process.env;
  const script = `${program}/main.ts`;
  const child = spawn(process.execPath, [...memoryOptionsOf(script), ...nodeArguments, script], {
    cwd: folder,
    env: { ...inherited, ...memoryEnvironment, ...serverEnvironment(databaseUrl, environment) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = linesOf(child);
  const ready = await eventually(() => {
    if (child.exitCode !== null) throw new Error('It ended.');
    return parsed(log).find(({ msg }) => msg === until) ?? false;
  }).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw new Error(`The ${program} did not start:\n${log.slice(-20).join('\n')}`, { cause: error });
  });
  const ended = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  };
  return {
    pid: child.pid ?? 0,
    url: `http://127.0.0.1:${String(ready['port'])}`,
    log,
    kill: () => ended('SIGKILL'),
    async stop() {
      await ended('SIGTERM');
      return child.exitCode;
    },
  };
}

/** Starts a worker that must not work. Resolves when its log contains why. */
export const startWaitingWorker = async (
  databaseUrl: string,
  environment: Readonly<Record<string, string>>,
): Promise<TestProcess> => startProcess('worker', databaseUrl, environment, [], root, 'worker waits');

/** Kills processes with -9, like a power failure. Resolves when they have ended. */
export async function killed(...processes: readonly TestProcess[]): Promise<void> {
  await Promise.all(processes.map((process) => process.kill()));
}

function linesOf(child: ChildProcess): string[] {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream?.on('data', (chunk: Buffer) => {
      const parts = (rest + chunk.toString()).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
    });
  }
  return lines;
}

function parsed(log: readonly string[]): LogLine[] {
  return log.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as LogLine);
}
