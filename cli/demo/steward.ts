import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readDemoFile } from '../../local/demo-file.ts';
import type { DemoFile } from '../../local/demo-file.ts';

/** A running installation. */
export interface Steward {
  readonly file: DemoFile;
  readonly startedHere: boolean;
  /** Stops the installation if the demo started it. */
  stop(): Promise<void>;
}

export interface StewardOptions {
  readonly dataDirectory: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly say: (sentence: string) => void;
  readonly signal: AbortSignal;
}

/** The running `npm start` on this data folder, or an installation started for the demo. */
export async function findOrStart(options: StewardOptions): Promise<Steward> {
  const running = await readDemoFile(demoFileOf(options.dataDirectory));
  if (running !== undefined && (await responses(running))) {
    options.say(`Found a running Steward at ${running.baseUrl}.`);
    return { file: running, startedHere: false, stop: async () => undefined };
  }
  options.say('No Steward is running here: starting one for the demo.');
  return await start(options);
}

const demoFileOf = (dataDirectory: string) => join(dataDirectory, 'demo.json');

async function responses({ baseUrl }: DemoFile): Promise<boolean> {
  try {
    return (await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(3_000) })).ok;
  } catch {
    return false;
  }
}

const startScript = fileURLToPath(new URL('../start.ts', import.meta.url));
const linesKept = 20;

async function start({ dataDirectory, environment, say, signal }: StewardOptions): Promise<Steward> {
  // Uses a free port and hides request logs, unless the user set these variables.
  const defaults = { PORT: '0', LOG_LEVEL: 'warn' };
  const child = spawn(process.execPath, [startScript], {
    env: { ...defaults, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
    // Its own process group: Ctrl-C reaches only the demo, which then stops it in order.
    detached: true,
  });
  const ended = once(child, 'exit').then(() => undefined);
  const stop = async (): Promise<void> => {
    if (hasEnded(child)) return;
    child.kill('SIGTERM');
    await ended;
  };
  const lines = lastLines(child, say);
  try {
    for (;;) {
      signal.throwIfAborted();
      const file = await readDemoFile(demoFileOf(dataDirectory));
      if (file !== undefined && file.pids.supervisor === child.pid) return { file, startedHere: true, stop };
      if (hasEnded(child)) throw new Error(`Steward could not be started: ${lines.join(' ')}`);
      await pause(50, undefined, { signal });
    }
  } catch (error) {
    await stop();
    throw error;
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

/** Forwards the progress lines of a start and keeps the last ones for an error message. */
function lastLines(child: ChildProcess, say: (line: string) => void): readonly string[] {
  const lines: string[] = [];
  child.stderr?.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString().split('\n')) {
      if (line.trim() === '') continue;
      lines.push(line);
      lines.splice(0, lines.length - linesKept);
      say(line);
    }
  });
  return lines;
}
