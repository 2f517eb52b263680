import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { memoryEnvironment, nodeOptionsOf } from '../platform/process/node-options.ts';
import type { RunningComponent } from './keep-running.ts';
import { forgetProcess, keepProcess, keptProcess } from './pid-file.ts';
import { stopProcess } from './processes.ts';
import { StartFailure } from './start-failure.ts';

export interface ProgramOptions {
  /** Relative to the repository: `api/main.ts`. */
  readonly script: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Holds the process id, so that the start after a killed supervisor finds it. */
  readonly pidFile: string;
  /** Time to finish running work. */
  readonly graceMs: number;
  /** Receives its output; by default the standard output and error of this process do. */
  readonly output?: NodeJS.WritableStream | undefined;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const linesKept = 20;

/** Starts one of Steward's programs on the current Node; forwards its output. */
export async function startProgram({
  script,
  environment,
  pidFile,
  graceMs,
  output,
}: ProgramOptions): Promise<RunningComponent> {
  const child = spawn(process.execPath, [...nodeOptionsOf(script), script], {
    cwd: root,
    env: { ...memoryEnvironment, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own process group: Ctrl-C reaches only the supervisor, which stops its components in order.
    detached: true,
  });
  const closed = once(child, 'close').catch(() => undefined);
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (status, signal) => resolve(signal ?? `exit code ${status}`));
  });
  const lines: string[] = [];
  const take = (stream: NodeJS.WritableStream) => (chunk: Buffer) => {
    stream.write(chunk);
    const fresh = chunk.toString().split('\n');
    lines.push(...fresh.map((line) => line.trimEnd()).filter((line) => line !== ''));
    lines.splice(0, lines.length - linesKept);
  };
  child.stdout.on('data', take(output ?? process.stdout));
  child.stderr.on('data', take(output ?? process.stderr));
  if (child.pid === undefined) throw new StartFailure(`${script} could not be started: ${await ended}.`);
  const identity = await keepProcess(pidFile, child.pid);
  return {
    pid: child.pid,
    ended,
    async lastLines() {
      await closed;
      return lines;
    },
    kill: () => void child.kill('SIGKILL'),
    async stop() {
      if (identity) await stopProcess(identity, graceMs);
      await ended;
      await forgetProcess(pidFile);
    },
  };
}

/** Stops the program of an earlier start whose supervisor was killed; returns whether there was one. */
export async function stopLeftoverProgram(
  script: string,
  pidFile: string,
  graceMs: number,
): Promise<boolean> {
  const leftover = await keptProcess(pidFile, script);
  if (leftover) await stopProcess(leftover, graceMs);
  await forgetProcess(pidFile);
  return leftover !== undefined;
}
