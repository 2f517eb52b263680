import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median, type Figure } from './figure.ts';
import { plainEnvironment } from './process.ts';
import type { Bench } from './run.ts';
import type { Site } from './site.ts';

const caller = fileURLToPath(new URL('client-calls.ts', import.meta.url));

/** Runs, and calls of each. */
const amounts = { full: { runs: 5, calls: 10_000 }, quick: { runs: 5, calls: 3_000 } } as const;

/**
 * CPU time of a process that adds one document after the other, by `@steward/client` with its usual options and by bare
 * `fetch`. Runs alternate, each in a new process.
 */
export const measureClient: Bench = async (site, { quick, show, signal }): Promise<Figure[]> => {
  const { runs, calls } = amounts[quick ? 'quick' : 'full'];
  show('documents/add of 1, by @steward/client and by fetch …');
  const pairs: { readonly fetch: number; readonly client: number }[] = [];
  while (pairs.length < runs) {
    signal.throwIfAborted();
    const by = (way: 'fetch' | 'client') =>
      cpuOfCalls(site, way, `${way}-${String(pairs.length)}`, calls, signal);
    pairs.push({ fetch: await by('fetch'), client: await by('client') });
  }
  return [
    {
      name: 'documents/add of 1: CPU of the caller, by @steward/client',
      unit: 'µs',
      steward: median(pairs.map(({ client }) => client)),
      against: { name: 'by fetch', measured: median(pairs.map(({ fetch }) => fetch)) },
      ratio: median(pairs.map(({ client, fetch }) => client / fetch)),
      target: { of: 'ratio', is: 'at most', value: 1.15 },
    },
  ];
};

/** CPU microseconds of a call, in a new process. */
async function cpuOfCalls(
  { api, tenant }: Site,
  way: 'fetch' | 'client',
  prefix: string,
  calls: number,
  signal: AbortSignal,
): Promise<number> {
  const parameters = [caller, way, api.url, tenant.apiKey, tenant.authToken, prefix, String(calls)];
  const { stdout } = await promisify(execFile)(process.execPath, parameters, {
    env: plainEnvironment(),
    signal,
  });
  return Number(stdout);
}
