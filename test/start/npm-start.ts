import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { codeOf } from '../../platform/process/error-code.ts';
import { variables } from '../../platform/config/variables.ts';
import type { DemoFile } from '../../local/demo-file.ts';
import { identify } from '../../local/processes.ts';
import { eventually } from '../support/eventually.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A running `npm start`. */
export interface Start {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** Waits for `demo.json`. Throws when the start ends before. */
  ready(): Promise<DemoFile>;
  /** The exit code. */
  ended(): Promise<number | null>;
}

/** Runs `npm start` on its own data folder and ports, without the configuration of this environment. */
export function npmStart(
  dataDirectory: string,
  environment: NodeJS.ProcessEnv = {},
  ...argumentList: string[]
): Start {
  return startBy([process.execPath, 'cli/start.ts', ...argumentList], dataDirectory, environment);
}

/** The same by a command line that ends in `exec node cli/start.ts`. `folder` selects another release. */
export function startBy(
  [program, ...argumentList]: readonly [string, ...string[]],
  dataDirectory: string,
  environment: NodeJS.ProcessEnv = {},
  folder: string = root,
): Start {
  const child = spawn(program, argumentList, {
    cwd: folder,
    env: { ...inherited(), PORT: '0', STEWARD_DATA_DIR: dataDirectory, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    child,
    output: () => output,
    ended: () => closed,
    ready: async () => {
      const found = await eventually(async () =>
        child.exitCode === null && child.signalCode === null ? await demoOf(dataDirectory) : undefined,
      );
      if (found === undefined) throw new Error(`The start ended:\n${output}`);
      return found;
    },
  };
}

/** Runs `npm run cli -- <arguments>` beside it, in an environment with only the data folder. */
export async function cliBeside(
  dataDirectory: string,
  argumentList: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<{ readonly exitCode: number; readonly out: string; readonly err: string }> {
  const env = { ...inherited(), STEWARD_DATA_DIR: dataDirectory, ...environment };
  return await new Promise((resolve) => {
    execFile(process.execPath, ['cli/main.ts', ...argumentList], { cwd: root, env }, (error, out, err) => {
      resolve({ exitCode: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

/** Returns this environment without any program's configuration. */
export function inherited(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !Object.hasOwn(variables, name) && name !== 'NODE_OPTIONS' && !name.startsWith('TEST_'),
  );
  return Object.fromEntries(kept);
}

export async function demoOf(dataDirectory: string): Promise<DemoFile> {
  return JSON.parse(await readFile(join(dataDirectory, 'demo.json'), 'utf8')) as DemoFile;
}

/** Kills all processes of a start. The parts may end on their own once their supervisor is dead. */
export function killAll({ pids }: DemoFile): void {
  for (const pid of Object.values(pids)) if (pid !== null) killOne(pid);
}

/** Kills all processes of a start with all their descendants, and waits until none is left. */
export async function killTree({ pids }: DemoFile): Promise<void> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']);
  const table = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  const tree = new Set(Object.values(pids).filter((pid) => pid !== null));
  // A set also visits what is added meanwhile. The supervisor is the first, so it restarts nothing.
  for (const pid of tree) for (const [child = 0, parent] of table) if (parent === pid) tree.add(child);
  for (const pid of tree) killOne(pid);
  await eventually(async () =>
    (await Promise.all([...tree].map(identify))).every((one) => one === undefined),
  );
}

function killOne(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

/** Returns the processes of a start that are still running. */
export async function living({ pids }: DemoFile): Promise<readonly string[]> {
  const found = await Promise.all(
    Object.entries(pids).map(async ([name, pid]) => (pid !== null && (await identify(pid)) ? [name] : [])),
  );
  return found.flat();
}
