import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ConfigurationError, readConfiguration } from '../platform/config/configuration.ts';
import type { Configuration } from '../platform/config/configuration.ts';
import { unknownVariables, warningOf } from '../platform/config/unknown-variables.ts';
import { fullDiskHint } from '../local/disk-space.ts';
import { isDemoCredentials } from '../local/local-secrets.ts';
import type { DemoCredentials } from '../local/local-secrets.ts';
import { messageOf, StartFailure } from '../local/start-failure.ts';
import { startInstallation } from '../local/installation.ts';
import type { Installation } from '../local/installation.ts';
import { greeting } from './greeting.ts';

/** `npm start`: the whole of Steward on this machine, until SIGINT or SIGTERM. */
const exitCodes = { stopped: 0, failed: 1, misused: 2 } as const;

/** A database that has just started may not answer in time; one that is away stays away. */
const preparations = 3;

const scripts = { api: 'api/main.ts', worker: 'worker/main.ts' };
const show = (line: string) => console.error(line);

process.exit(await main());

async function main(): Promise<number> {
  for (const variable of unknownVariables(process.env)) {
    show(warningOf(variable));
    // The API and the worker would repeat it.
    delete process.env[variable.name];
  }
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
    console.log(greeting(installation.demo, configuration, Date.now() - began));
    const failure = await Promise.race([installation.failed, aborted(asked.signal)]);
    if (failure !== undefined) show(failure);
    await installation.stop();
    show(failure === undefined ? 'Steward has stopped.' : 'Everything else has been stopped.');
    return failure === undefined ? exitCodes.stopped : exitCodes.failed;
  } catch (error) {
    if (asked.signal.aborted) return exitCodes.stopped;
    const failure =
      error instanceof StartFailure ? error.message : `Steward could not start: ${messageOf(error)}`;
    const hint = await fullDiskHint(configuration.dataDirectory);
    show([failure, hint].filter((part) => part !== undefined).join(' '));
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

/** Runs `prepare-start.ts` to its end, again where it fails. */
async function prepare(
  environment: NodeJS.ProcessEnv,
  previous: DemoCredentials | undefined,
  signal: AbortSignal,
): Promise<DemoCredentials> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await prepareOnce(environment, previous, signal);
    if (typeof response !== 'string') return response;
    const remedy = process.env['DATABASE_URL']
      ? 'Check DATABASE_URL and that PostgreSQL runs there.'
      : 'Start again.';
    const problem = `The database could not be prepared: ${response.replace(/\.$/, '')}`;
    if (attempt === preparations) throw new StartFailure(`${problem}. ${remedy}`);
    show(`${problem}; trying again.`);
    await pause(1_000, undefined, { signal });
  }
}

/** The credentials of the demo workspace, or the reason why there are none. */
async function prepareOnce(
  environment: NodeJS.ProcessEnv,
  previous: DemoCredentials | undefined,
  signal: AbortSignal,
): Promise<DemoCredentials | string> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('prepare-start.ts', import.meta.url))], {
    env: environment,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
    signal,
  });
  const response = await new Promise<unknown>((resolve, reject) => {
    child.once('error', reject);
    child.once('message', resolve);
    child.once('exit', () => resolve(undefined));
    child.send(previous ?? {}, () => undefined);
  });
  if (isDemoCredentials(response) || typeof response === 'string') return response;
  return 'the program that does it ended without an answer';
}
