import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { nodeOptionsOf } from '../../platform/process/node-options.ts';
import type { LogLine } from './api.ts';
import { eventually } from './eventually.ts';
import { serverEnvironment } from './environment.ts';

/** An API or a worker as an operator would start it: a process of its own. */
export interface TestProcess {
  readonly pid: number;
  /** Of an API; a worker has none. */
  readonly url: string;
  readonly log: readonly string[];
  /** Ends it as an orchestrator does; returns its exit code. */
  stop(): Promise<number | null>;
  /** What `killed` calls. */
  kill(): Promise<void>;
}

/** What each program logs once it does its work. */
const readyLine = { api: 'listening', worker: 'working' } as const;

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Compiling hot functions early pays over hours; the processes of tests live for seconds. */
const memoryOptionsOf = (script: string): readonly string[] =>
  nodeOptionsOf(script).filter((option) => option.includes('-space-size='));

/**
 * Starts `api/main.ts` or `worker/main.ts` with the memory limits of production and waits until it works. `environment` as for `startTestApi`;
 * `nodeArguments` stand before the program. `folder`: of another release.
 */
export async function startProcess(
  program: keyof typeof readyLine,
  databaseUrl: string,
  environment: Readonly<Record<string, string>> = {},
  nodeArguments: readonly string[] = [],
  folder: string = root,
): Promise<TestProcess> {
  const { NODE_OPTIONS: _jests, ...inherited } = process.env;
  const script = `${program}/main.ts`;
  const child = spawn(process.execPath, [...memoryOptionsOf(script), ...nodeArguments, script], {
    cwd: folder,
    env: { ...inherited, ...serverEnvironment(databaseUrl, environment) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = linesOf(child);
  const ready = await eventually(() => {
    if (child.exitCode !== null) throw new Error('It ended.');
    return parsed(log).find(({ msg }) => msg === readyLine[program]) ?? false;
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

/** Ends processes with no time for a last word, as a power failure would; resolves when they are gone. */
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
