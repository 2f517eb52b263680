import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ConfigurationError, readConfiguration } from '../platform/config/configuration.ts';
import type { Configuration } from '../platform/config/configuration.ts';
import { isDemoCredentials } from '../platform/local/local-secrets.ts';
import type { DemoCredentials } from '../platform/local/local-secrets.ts';
import { messageOf, StartFailure } from '../platform/local/start-failure.ts';
import { startInstallation } from '../platform/local/supervisor.ts';
import type { Installation } from '../platform/local/supervisor.ts';
import { greeting } from './greeting.ts';

/** `npm start`: the whole of Steward on this machine, until SIGINT or SIGTERM. */
const exitCodes = { stopped: 0, failed: 1, misused: 2 } as const;

const scripts = { api: 'api/main.ts', worker: 'worker/main.ts' };
const show = (line: string) => console.error(line);

process.exit(await main());

async function main(): Promise<number> {
  let configuration: Configuration;
  try {
    if (process.argv.length > 2) {
      throw new ConfigurationError([
        'npm start takes no arguments; npm run config shows the variables it heeds.',
      ]);
    }
    configuration = readConfiguration(process.env, 'start');
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    show(error.message);
    return exitCodes.misused;
  }
  return await run(configuration);
}

async function run(configuration: Configuration): Promise<number> {
  const began = Date.now();
  const asked = new AbortController();
  let installation: Installation | undefined;
  whenAskedToStop(asked, () => installation?.hurry());
  try {
    installation = await startInstallation({
      configuration,
      environment: process.env,
      scripts,
      prepare,
      show,
      signal: asked.signal,
    });
    console.log(greeting(installation.demo, configuration.dataDirectory, Date.now() - began));
    const failure = await Promise.race([installation.failed, aborted(asked.signal)]);
    if (failure !== undefined) show(failure);
    await installation.stop();
    show(failure === undefined ? 'Steward has stopped.' : 'Everything else has been stopped.');
    return failure === undefined ? exitCodes.stopped : exitCodes.failed;
  } catch (error) {
    if (asked.signal.aborted) return exitCodes.stopped;
    show(error instanceof StartFailure ? error.message : `Steward could not start: ${messageOf(error)}`);
    return exitCodes.failed;
  }
}

/** The first signal stops in order. A later one hurries, but not its echo: npm passes on what the terminal sent to us too. */
function whenAskedToStop(asked: AbortController, hurry: () => void): void {
  const echoMs = 1_000;
  let first: number | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (first === undefined) {
        first = Date.now();
        show('Stopping: API, worker, Temporal, PostgreSQL …');
        asked.abort(new Error('Steward was asked to stop.'));
      } else if (Date.now() > first + echoMs) {
        hurry();
      }
    });
  }
  // A terminal or a pipe that went away must not keep us from stopping in order.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

async function aborted(signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
}

/** Runs `prepare-start.ts` to its end. */
async function prepare(
  environment: NodeJS.ProcessEnv,
  previous: DemoCredentials | undefined,
  signal: AbortSignal,
): Promise<DemoCredentials> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('prepare-start.ts', import.meta.url))], {
    env: environment,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
    signal,
  });
  const answer = await new Promise<unknown>((resolve, reject) => {
    child.once('error', reject);
    child.once('message', resolve);
    child.once('exit', () => resolve(undefined));
    child.send(previous ?? {}, () => undefined);
  });
  if (isDemoCredentials(answer)) return answer;
  const reason = typeof answer === 'string' ? answer : 'the program that does it ended without an answer';
  throw new StartFailure(`The database could not be prepared: ${reason}.`);
}
