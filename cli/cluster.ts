import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { errorMessage } from '../platform/process/error-message.ts';
import { StartFailure } from '../local/start-failure.ts';
import { proveCluster } from './cluster/proof.ts';
import { startCluster, type Stop } from './cluster/start-cluster.ts';

/**
 * `npm run cluster`: the services of docker-compose.yml without containers, with two APIs and two workers, on temporary
 * data. With `--check`, it ends after one document migration has passed through all of them.
 */
const folder = await mkdtemp(join(tmpdir(), 'steward-cluster-'));
const stopRequest = new AbortController();
const show = (line: string) => console.error(line);
const stops: Stop[] = [];

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => stopRequest.abort(new Error('The cluster is stopping.')));
}
process.exit(await main());

/** Returns whether to end after the check. Undefined for other arguments. */
function readCheck(): boolean | undefined {
  try {
    return parseArgs({ options: { check: { type: 'boolean', default: false } } }).values.check;
  } catch {
    return undefined;
  }
}

async function main(): Promise<number> {
  try {
    const checkOnly = readCheck();
    if (checkOnly === undefined) {
      show('npm run cluster -- [--check]');
      return 2;
    }
    await run(checkOnly);
    return 0;
  } catch (error) {
    if (stopRequest.signal.aborted) return 0;
    show(error instanceof StartFailure ? error.message : `The cluster failed: ${errorMessage(error)}`);
    return 1;
  } finally {
    for (const stop of stops.toReversed()) await stop().catch((error: unknown) => show(errorMessage(error)));
    await rm(folder, { recursive: true, force: true });
  }
}

async function run(checkOnly: boolean): Promise<void> {
  const { signal } = stopRequest;
  const { baseUrls, operatorToken } = await startCluster({ folder, stops, onProgress: show, signal });
  const began = Date.now();
  await proveCluster(baseUrls, operatorToken, signal);
  show(`Both APIs completed a document migration in ${Date.now() - began} ms.`);
  if (checkOnly) return;
  show(`APIs: ${baseUrls.join(' and ')}. Operator token: ${operatorToken}. Ctrl-C stops everything.`);
  signal.throwIfAborted();
  await once(signal, 'abort');
}
