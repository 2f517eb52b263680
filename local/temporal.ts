import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { servesNamespace } from './ask-temporal.ts';
import { makePrivateFolder, readIfThere } from './files.ts';
import { forgetProcess, keepProcess, keptProcess } from './pid-file.ts';
import { choosePort, rememberedPorts, rememberPorts } from './ports.ts';
import { isAlive, stopProcess, type ProcessIdentity } from './processes.ts';
import { showingProgress, type Show } from './progress.ts';
import { errorLine } from './run-command.ts';
import { StartFailure, touching } from './start-failure.ts';
import { argumentsFor, type ServerOptions } from './temporal-arguments.ts';

export interface TemporalOptions extends ServerOptions {
  /** Holds the log, ports and process id; created when missing. */
  readonly directory: string;
  /** Preferred ports of the first start; later starts reuse their ports when they are free. */
  readonly ports?: { readonly server: number; readonly ui: number };
  /** Receives a line every three seconds while the server starts. */
  readonly onProgress?: Show;
  /** Cancels the start. */
  readonly signal?: AbortSignal | undefined;
}

/** A server that runs until it is stopped, even after this process ends. */
export interface RunningTemporal {
  readonly address: string;
  readonly uiUrl: string | undefined;
  readonly pid: number;
  readonly process: ProcessIdentity;
  readonly log: string;
  stop(): Promise<void>;
}

const startsWithinMs = 60_000;

/**
 * Starts a development server on 127.0.0.1 and waits until it serves the namespace. Stops the leftover server of an
 * earlier start. Throws a StartFailure.
 */
export async function startTemporal(options: TemporalOptions): Promise<RunningTemporal> {
  return await touching(options.directory, async () => {
    await makePrivateFolder(options.directory);
    await stopLeftoverTemporal(options.directory);
    const until = Date.now() + startsWithinMs;
    for (;;) {
      const attempt = await startOnce(options, until);
      if ('address' in attempt) return attempt;
      options.signal?.throwIfAborted();
      const transient = /address already in use|database is locked/i.test(attempt.log);
      if (!transient || Date.now() >= until) {
        const log = logOf(options.directory);
        throw new StartFailure(
          `The Temporal development server did not start: ${errorLine(attempt.log)}. ` +
            `Remove the cause and start again, or set TEMPORAL_ADDRESS. Its log: ${log}.`,
        );
      }
      await pause(100);
    }
  });
}

/** Stops the server that an earlier start left running in this folder. */
async function stopLeftoverTemporal(directory: string): Promise<void> {
  const leftover = await keptProcess(pidFileOf(directory), 'start-dev');
  if (leftover) await stopProcess(leftover, 10_000);
}

const logOf = (directory: string) => join(directory, 'temporal.log');
const pidFileOf = (directory: string) => join(directory, 'temporal.pid');
const portsOf = (directory: string) => join(directory, 'ports.json');

async function startOnce(
  options: TemporalOptions,
  until: number,
): Promise<RunningTemporal | { readonly log: string }> {
  const { directory } = options;
  const ports = await choosePorts(options);
  const { databaseFile } = options;
  // Temporal puts the path into a URL without escaping it: below a folder `C#` it would name another file.
  const file = databaseFile === undefined ? undefined : relative(directory, databaseFile);
  const argumentList = await argumentsFor({ ...options, databaseFile: file }, ports);
  await rename(logOf(directory), `${logOf(directory)}.before`).catch(() => undefined);
  const child = spawnServer(options.binary, argumentList, directory);
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (status, signal) => resolve(`it ended with ${signal ?? status}`));
  });
  const server = child.pid === undefined ? undefined : await keepProcess(pidFileOf(directory), child.pid);
  const { onProgress = () => undefined } = options;
  const isUp = async () =>
    server !== undefined &&
    (await showingProgress(
      onProgress,
      () => 'Temporal is starting',
      async () => await comesUp(options, server, ports.server, until),
    ));
  if (server && (await isUp())) {
    await rememberPorts(portsOf(directory), ports);
    // Only now: until the server is up, this process must stay alive to see it end.
    child.unref();
    return {
      address: `127.0.0.1:${ports.server}`,
      uiUrl: options.ui ? `http://127.0.0.1:${ports.ui}` : undefined,
      pid: server.pid,
      process: server,
      log: logOf(directory),
      stop: async () => await stopServer(server, directory),
    };
  }
  if (server) await stopServer(server, directory);
  const log = ((await readIfThere(logOf(directory))) ?? '').trim();
  return { log: log === '' ? await ended : log };
}

/** Waits until the server serves the namespace; false when it ends, times out or the start is canceled. */
async function comesUp(
  { namespace, signal }: TemporalOptions,
  server: ProcessIdentity,
  port: number,
  until: number,
): Promise<boolean> {
  while ((await isAlive(server)) && Date.now() < until) {
    if (signal?.aborted === true) return false;
    if (await servesNamespace(`127.0.0.1:${port}`, namespace)) return true;
    await pause(50);
  }
  return false;
}

async function stopServer(server: ProcessIdentity, directory: string): Promise<void> {
  await stopProcess(server, 10_000);
  await forgetProcess(pidFileOf(directory));
}

/** The server writes to a file, so that it outlives this process. Its own process group shields it from Ctrl-C. */
function spawnServer(binary: string, argumentList: readonly string[], directory: string): ChildProcess {
  const output = openSync(logOf(directory), 'w', 0o600);
  try {
    const child = spawn(binary, argumentList, {
      cwd: directory,
      stdio: ['ignore', output, output],
      detached: true,
      env: withoutTemporalSettings(process.env),
    });
    return child;
  } finally {
    closeSync(output);
  }
}

/** The server must not read the client settings of the environment. */
function withoutTemporalSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('TEMPORAL_')));
}

async function choosePorts({ directory, ports }: TemporalOptions): Promise<{ server: number; ui: number }> {
  const remembered = await rememberedPorts(portsOf(directory));
  const server = await choosePort(remembered['server'], ports ? [ports.server] : []);
  const ui = await choosePort(remembered['ui'], ports ? [ports.ui] : []);
  return { server, ui };
}
