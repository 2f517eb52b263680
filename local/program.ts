import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { nodeOptionsOf } from '../platform/process/node-options.ts';
import type { RunningPart } from './keep-running.ts';
import { forgetProcess, keepProcess, keptProcess } from './pid-file.ts';
import { stopProcess } from './processes.ts';
import { StartFailure } from './start-failure.ts';

export interface ProgramOptions {
  /** Relative to the repository: `api/main.ts`. */
  readonly script: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Its process id is kept here for a start that follows a kill of ours. */
  readonly pidFile: string;
  /** How long it may take to finish what is under way. */
  readonly graceMs: number;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const linesKept = 20;

/** Starts one of our programs on the Node that runs this one; its output becomes ours. */
export async function startProgram({
  script,
  environment,
  pidFile,
  graceMs,
}: ProgramOptions): Promise<RunningPart> {
  const child = spawn(process.execPath, [...nodeOptionsOf(script), script], {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: Ctrl-C in a terminal reaches us, and we end it in its turn.
    detached: true,
  });
  const closed = once(child, 'close').catch(() => undefined);
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (status, signal) => resolve(signal ?? `exit code ${status}`));
  });
  const lines: string[] = [];
  const take = (stream: NodeJS.WriteStream) => (chunk: Buffer) => {
    stream.write(chunk);
    const fresh = chunk.toString().split('\n');
    lines.push(...fresh.map((line) => line.trimEnd()).filter((line) => line !== ''));
    lines.splice(0, lines.length - linesKept);
  };
  child.stdout.on('data', take(process.stdout));
  child.stderr.on('data', take(process.stderr));
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

/** Ends the program of an earlier start whose supervisor was killed; says whether there was one. */
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
