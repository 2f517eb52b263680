import { spawn } from 'node:child_process';
import { errorMessage } from '../platform/process/error-message.ts';

/** The user that a program runs as, unless it is the current one. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

export interface CommandRun {
  readonly ok: boolean;
  /** The last 64 kB of both outputs. */
  readonly output: string;
}

export interface RunOptions {
  readonly account?: Account | undefined;
  readonly environment?: NodeJS.ProcessEnv;
  readonly directory?: string;
  readonly timeoutMs?: number;
  readonly onLine?: (line: string) => void;
  /** Kills the program's process group. */
  readonly signal?: AbortSignal | undefined;
}

/** Time after a program's exit in which its output is still read. */
const outputMs = 100;

/** Runs a program to its end. Never throws: when a program cannot start, `output` contains the reason. */
export async function runCommand(
  program: string,
  argumentList: readonly string[],
  options: RunOptions = {},
): Promise<CommandRun> {
  const { account, environment = process.env, directory, timeoutMs = 600_000, onLine, signal } = options;
  return await new Promise((resolve) => {
    let output = '';
    // Its own process group: Ctrl-C must not end it before the supervisor does.
    const child = spawn(program, argumentList, {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      cwd: directory ?? (account ? '/' : undefined),
      ...account,
    });
    const endGroup = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // The process has already ended.
      }
    };
    const timer = setTimeout(() => {
      output += `\nstopped after ${timeoutMs / 1000} s`;
      endGroup();
    }, timeoutMs);
    signal?.addEventListener('abort', endGroup);
    if (signal?.aborted) endGroup();
    const take = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-65_536);
      for (const line of chunk.toString().split(/[\r\n]+/)) if (line.trim() !== '') onLine?.(line.trim());
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    const end = (ok: boolean) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', endGroup);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ ok, output: output.trim() });
    };
    child.on('error', (error) => {
      output += errorMessage(error);
      end(false);
    });
    // Node may report the exit before it has read the output. `close` comes after both, but never while a server that
    // pg_ctl started keeps the outputs open. Then the output until `outputMs` after the exit counts.
    child.on('exit', (status) => {
      const ended = () => end(status === 0);
      child.on('close', ended);
      // Read what the pipe still holds before the program counts as ended.
      setTimeout(() => setImmediate(ended), outputMs);
    });
  });
}

/** The line of a program's output that most likely contains the cause of a failure. */
export function errorLine(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const telling = lines.findLast((line) =>
    /\b(fatal|panic|error|could not|no space|denied|failed)\b/i.test(line),
  );
  return (telling ?? lines.at(-1) ?? 'no output').replace(/^.*?\b(FATAL|PANIC|ERROR|error):\s*/i, '');
}
