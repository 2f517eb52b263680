import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { errorMessage } from '../platform/process/error-message.ts';
import { exitCodes } from '../platform/process/exit-codes.ts';
import { ConfigurationError, readConfiguration } from '../platform/config/read-configuration.ts';
import type { Configuration } from '../platform/config/configuration.ts';
import { withSecretFiles } from '../platform/config/secret-files.ts';
import { unknownVariables, warningOf } from '../platform/config/unknown-variables.ts';
import { onStopSignals } from '../platform/process/stop-signals.ts';
import { fullDiskHint } from '../local/disk-space.ts';
import { isDemoCredentials } from '../local/local-secrets.ts';
import type { DemoCredentials } from '../local/local-secrets.ts';
import { StartFailure } from '../local/start-failure.ts';
import { startInstallation } from '../local/installation.ts';
import type { Installation } from '../local/installation.ts';
import { greeting } from './greeting.ts';
import type { PreparedStart } from './prepare-start.ts';

/* `npm start`: runs all of Steward on this machine until SIGINT or SIGTERM. */

/** A database may time out right after its startup. */
const maxAttempts = 3;

const scripts = { api: 'api/main.ts', worker: 'worker/main.ts' };
const show = (line: string) => console.error(line);

process.exit(await main());

async function main(): Promise<number> {
  for (const variable of unknownVariables(process.env)) {
    show(warningOf(variable));
    // Otherwise the API and the worker would repeat the warning.
    delete process.env[variable.name];
  }
  let configuration: Configuration;
  try {
    if (process.argv.length > 2) {
      throw new ConfigurationError(['npm start takes no arguments; npm run config lists its variables.']);
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
  const stopRequest = new AbortController();
  let installation: Installation | undefined;
  // Kept in memory only: demo.json outlives it.
  let signInCode: string | undefined;
  onStopSignal(stopRequest, () => installation?.hurry());
  try {
    installation = await startInstallation({
      configuration,
      environment: withSecretFiles(process.env),
      scripts,
      prepare: async (...preparing) => {
        const { signInCode: code, ...demo } = await prepare(...preparing);
        signInCode = code;
        return demo;
      },
      show,
      signal: stopRequest.signal,
    });
    console.log(greeting(installation.demo, configuration, { tookMs: Date.now() - began, signInCode }));
    const failure = await Promise.race([installation.failed, whenAborted(stopRequest.signal)]);
    if (failure !== undefined) show(failure);
    await installation.stop();
    show(failure === undefined ? 'Steward has stopped.' : 'The other components have stopped.');
    return failure === undefined ? exitCodes.done : exitCodes.failed;
  } catch (error) {
    if (stopRequest.signal.aborted) return exitCodes.done;
    const failure =
      error instanceof StartFailure ? error.message : `Steward could not start: ${errorMessage(error)}`;
    const hint = await fullDiskHint(configuration.dataDirectory);
    show([failure, hint].filter((part) => part !== undefined).join(' '));
    return exitCodes.failed;
  }
}

/** The first signal requests a graceful shutdown, a later one a fast stop. */
function onStopSignal(stopRequest: AbortController, hurry: () => void): void {
  onStopSignals(['SIGINT', 'SIGTERM', 'SIGHUP'], {
    first: () => {
      show('Stopping: API, worker, Temporal, PostgreSQL …');
      stopRequest.abort(new Error('Steward is stopping.'));
    },
    again: hurry,
  });
  // A closed terminal or pipe must not prevent a graceful shutdown.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

async function whenAborted(signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return;
  await once(signal, 'abort');
}

/** Runs `prepare-start.ts`, and retries it after a failure. */
async function prepare(
  environment: NodeJS.ProcessEnv,
  previous: DemoCredentials | undefined,
  signal: AbortSignal,
): Promise<PreparedStart> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await prepareOnce(environment, previous, signal);
    if (typeof response !== 'string') return response;
    const remedy =
      (process.env['DATABASE_URL'] ?? process.env['DATABASE_URL_FILE'])
        ? 'Check DATABASE_URL and that PostgreSQL runs there.'
        : 'Run npm start again.';
    const problem = `The database could not be prepared: ${response.replace(/\.$/, '')}`;
    if (attempt === maxAttempts) throw new StartFailure(`${problem}. ${remedy}`);
    show(`${problem}; retrying.`);
    await pause(1_000, undefined, { signal });
  }
}

/** The credentials of the demo workspace, or an error message. */
async function prepareOnce(
  environment: NodeJS.ProcessEnv,
  previous: DemoCredentials | undefined,
  signal: AbortSignal,
): Promise<PreparedStart | string> {
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
  return 'prepare-start.ts ended without a result';
}
