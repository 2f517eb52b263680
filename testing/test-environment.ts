import { setTimeout as pause } from 'node:timers/promises';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { errorMessage } from '../platform/process/error-message.ts';
import { createClient, type ApiKeyClient } from '../packages/client/source/steward.ts';
import { StartFailure } from '../local/start-failure.ts';
import type { WorkerReplacements } from '../worker/start-worker.ts';
import { ClosingStack } from '../platform/process/closing-stack.ts';
import { closeAfter } from './close-after.ts';
import { jobEnded, sweepOnce, type Job, type JobOptions } from './job-progress.ts';
import { makePrivateFolder } from './private-folder.ts';
import { startSteward, type StewardAddress } from './start-steward.ts';
import { startTemporalServer, type TemporalServerKind } from './temporal-server.ts';
import { startTestDatabase } from './test-database.ts';

export interface TestEnvironmentOptions {
  /** Default `time-skipping`; `development` is the server of `npm start`, in real time and with Schedules. */
  readonly server?: TemporalServerKind;
  /** A module that exports workflows and replaces Steward's; it may re-export them (`export * from`). */
  readonly workflowsPath?: string;
  /**
   * Returns activities by name, given Steward's. An activity with the name of one of Steward's replaces it on its task queue;
   * others are added to the task queue `steward-database`.
   */
  readonly activities?: WorkerReplacements['activities'];
  /** Your empty database, which is migrated and kept; default an embedded PostgreSQL. */
  readonly databaseUrl?: string;
  /** Variables of Steward's configuration, e.g. `{ LOG_LEVEL: 'debug' }`. Logs go to standard error; default level `error`. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Default 300,000: the first start on a machine may download a server. */
  readonly startTimeoutMs?: number;
  /** Receives a line for each startup step. */
  readonly onProgress?: (line: string) => void;
}

/** A complete Steward for one test file; shares nothing with other environments. */
export interface TestEnvironment extends AsyncDisposable {
  /** Client and connections of Temporal. On the time-skipping server, `sleep` and workflow results skip time. */
  readonly temporal: Pick<
    TestWorkflowEnvironment,
    'address' | 'client' | 'connection' | 'nativeConnection' | 'sleep' | 'currentTimeMs'
  >;
  /** The HTTP API, with the credentials of an empty API key. */
  readonly api: StewardAddress;
  /** Calls the API with that key. */
  readonly steward: ApiKeyClient;
  readonly databaseUrl: string;
  /** Waits until a job has ended and returns it as `/v2/jobs/get` does. */
  readonly jobEnded: (jobId: string, options?: JobOptions) => Promise<Job>;
  /** Runs the sweep once; the time-skipping server has no Schedules to run it. */
  readonly sweep: () => Promise<void>;
  /** Stops all servers and removes the folder. Idempotent. */
  readonly teardown: () => Promise<void>;
}

/**
 * Starts Temporal, PostgreSQL, an API and a worker on all of Steward's task queues, on free ports and in a private folder.
 * On failure, stops everything and throws the reason: a StartFailure when the time is over or a server is not found.
 */
export async function createTestEnvironment(options: TestEnvironmentOptions = {}): Promise<TestEnvironment> {
  const { startTimeoutMs = 300_000, onProgress = () => undefined } = options;
  const parts = new ClosingStack();
  const deadline = AbortSignal.timeout(startTimeoutMs);
  let last = 'nothing yet';
  const show = (line: string): void => {
    if (!deadline.aborted) last = line;
    onProgress(line);
  };
  const starting = start(options, parts, { onProgress: show, signal: deadline });
  try {
    return await beforeAbort(deadline, starting);
  } catch (error) {
    // A server cannot be stopped while it starts.
    await settled(starting, graceMs);
    const late = `The test environment did not start within ${String(startTimeoutMs)} ms (startTimeoutMs). Its last step: ${last}`;
    throw await closeAfter(parts, deadline.aborted ? new StartFailure(late, { cause: error }) : error);
  }
}

/** Time for a canceled start to end. */
const graceMs = 30_000;

interface Starting {
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal;
}

async function start(
  options: TestEnvironmentOptions,
  parts: ClosingStack,
  starting: Starting,
): Promise<TestEnvironment> {
  const folder = await makePrivateFolder(parts);
  const { server: kind = 'time-skipping', workflowsPath, activities, environment = {} } = options;
  const [temporal, databaseUrl] = await allOrFirstFailure(
    startTemporalServer({ kind, folder, ...starting }, parts),
    startTestDatabase({ databaseUrl: options.databaseUrl, folder, ...starting }, parts),
  );
  starting.signal.throwIfAborted();
  starting.onProgress('Starting the API and the worker …');
  const temporalAddress = temporal.address;
  const api = await startSteward(
    { databaseUrl, temporalAddress, folder, environment, workflowsPath, activities, signal: starting.signal },
    parts,
  );
  const steward = createClient({ baseUrl: api.baseUrl, apiKey: api.apiKey, authToken: api.authToken });
  const teardown = async (): Promise<void> => await parts.close();
  return {
    temporal,
    api,
    steward,
    databaseUrl,
    jobEnded: async (jobId, jobOptions) => await jobEnded({ temporal, steward }, jobId, jobOptions),
    sweep: async () => await sweepOnce(temporal),
    teardown,
    [Symbol.asyncDispose]: teardown,
  };
}

/** Waits for both, so that neither opens anything after the other's failure was reported. */
async function allOrFirstFailure<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return await Promise.all([first, second]);
}

async function settled(work: Promise<unknown>, withinMs: number): Promise<void> {
  const ended = new AbortController();
  const limit = pause(withinMs, undefined, { signal: ended.signal }).catch(() => undefined);
  await Promise.race([Promise.allSettled([work]), limit]);
  ended.abort();
}

async function beforeAbort<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(new Error(errorMessage(signal.reason)));
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
