import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startApi } from '../api/start-api.ts';
import { ensureDemoWorkspace } from '../cli/demo-workspace.ts';
import type { DemoCredentials } from '../local/local-secrets.ts';
import { classifyDatabaseError } from '../platform/database/failures.ts';
import type { EncryptionKey } from '../platform/encryption/key-ring.ts';
import { readConfiguration } from '../platform/config/read-configuration.ts';
import { createLogger } from '../platform/logging/logger.ts';
import { startWorker, type WorkerReplacements } from '../worker/start-worker.ts';
import { buildBundle } from '../worker/workflow-bundle.ts';
import type { ClosingStack } from '../platform/process/closing-stack.ts';
import type { PrivateFolder } from './private-folder.ts';
import { namespace } from './temporal-server.ts';

export interface StewardOptions {
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  readonly folder: PrivateFolder;
  /** Overrides of configuration variables. */
  readonly environment: Readonly<Record<string, string>>;
  readonly workflowsPath: string | undefined;
  readonly activities: WorkerReplacements['activities'];
  readonly signal: AbortSignal;
}

/** The API's URL and credentials. */
export interface StewardAddress extends DemoCredentials {
  readonly baseUrl: string;
  readonly operatorToken: string;
}

/** Starts an API on a free port and a worker on all task queues, both in this process; returns once the worker polls. */
export async function startSteward(options: StewardOptions, parts: ClosingStack): Promise<StewardAddress> {
  const variables = variablesOf(options);
  const worker = readConfiguration(variables, 'worker');
  const api = readConfiguration(variables, 'api');
  // Before API and worker start: on a busy machine, connecting may exceed a request's timeout.
  const workspace = await makeWorkspace(options, api.encryptionKeys);
  const logging = { level: worker.logLevel, format: worker.logFormat };
  const print = (line: string): void => void process.stderr.write(line);
  const bundle =
    options.workflowsPath === undefined ? undefined : await bundleOf(options, options.workflowsPath);
  const { promise: polling, resolve: onPolling } = Promise.withResolvers<void>();
  const runningWorker = await startWorker(worker, createLogger({ ...logging, name: 'worker' }, print), {
    activities: options.activities,
    bundle,
    onPolling,
  });
  await parts.add(async () => await runningWorker.close());
  const runningApi = await startApi(api, createLogger({ ...logging, name: 'api' }, print));
  await parts.add(async () => await runningApi.close());
  await polling;
  const baseUrl = `http://127.0.0.1:${String(runningApi.port)}`;
  // Connects the API to Temporal, so that the first job starts without delay.
  await fetch(`${baseUrl}/readyz`);
  return { ...workspace, baseUrl, operatorToken: api.operatorToken ?? '' };
}

/** Retries while the database is unavailable, until the start is canceled. */
async function makeWorkspace(
  { databaseUrl, signal }: StewardOptions,
  encryptionKeys: readonly EncryptionKey[],
): Promise<DemoCredentials> {
  for (;;) {
    try {
      return await ensureDemoWorkspace({ databaseUrl, encryptionKeys, previous: undefined });
    } catch (error) {
      if (signal.aborted || classifyDatabaseError(error) === 'unexpected') throw error;
    }
    await pause(retryAfterMs);
  }
}

const retryAfterMs = 200;

function variablesOf({ databaseUrl, temporalAddress, folder, environment }: StewardOptions) {
  return {
    LOG_LEVEL: 'error',
    LOG_FORMAT: 'pretty',
    DATABASE_POOL_SIZE: '5',
    STEWARD_OPERATOR_TOKEN: randomBytes(24).toString('base64url'),
    STEWARD_ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
    STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    STEWARD_RATE_LIMIT: '0',
    ...environment,
    HOST: '127.0.0.1',
    PORT: '0',
    STEWARD_DATA_DIR: folder.root,
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporalAddress,
    TEMPORAL_NAMESPACE: namespace,
  };
}

async function bundleOf({ folder }: StewardOptions, workflowsPath: string): Promise<{ codePath: string }> {
  return { codePath: await buildBundle(join(folder.root, 'workflows.js'), workflowsPath) };
}
