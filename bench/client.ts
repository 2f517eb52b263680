import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median, type Figure } from './figure.ts';
import { plainEnvironment } from './process.ts';
import type { Bench } from './run.ts';
import type { Site } from './site.ts';

const caller = fileURLToPath(new URL('client-calls.ts', import.meta.url));

/** Number of runs, and calls per run. */
const amounts = { full: { runs: 5, calls: 10_000 }, quick: { runs: 5, calls: 1_500 } } as const;

type Way = 'fetch' | 'client' | 'keyed';

/** Concurrent calls. */
const amountsOfCallers = [1, 10];

/**
 * Measures the CPU time of a process that adds one document per call, sequentially and with 10 concurrent calls. The
 * calls are by `@steward/client` with default options, by bare `fetch`, and by `fetch` with an Idempotency-Key as the
 * client sends it. Runs alternate, each in a new process.
 */
export const measureClient: Bench = async (site, { quick, show, signal }): Promise<Figure[]> => {
  const { runs, calls } = amounts[quick ? 'quick' : 'full'];
  const figures: Figure[] = [];
  for (const callers of amountsOfCallers) {
    const atOnce = callers === 1 ? '' : `, ${String(callers)} concurrent calls`;
    show(`documents/add of 1${atOnce}, by @steward/client and by fetch …`);
    const rounds: Record<Way, number>[] = [];
    while (rounds.length < runs) {
      signal.throwIfAborted();
      const by = (way: Way) =>
        cpuOfCalls(site, way, `${way}-${String(callers)}-${String(rounds.length)}`, calls, callers, signal);
      rounds.push({ fetch: await by('fetch'), client: await by('client'), keyed: await by('keyed') });
    }
    const against = (way: Way, name: string) => ({
      name: `documents/add of 1${atOnce}: CPU of the caller, by @steward/client`,
      unit: 'µs' as const,
      steward: median(rounds.map(({ client }) => client)),
      against: { name, measured: median(rounds.map((round) => round[way])) },
      ratio: median(rounds.map((round) => round.client / round[way])),
    });
    figures.push({
      ...against('fetch', 'by fetch'),
      target: { of: 'ratio', is: 'at most', value: 1.15 },
    });
    figures.push(against('keyed', 'by fetch with an Idempotency-Key'));
  }
  return figures;
};

/** Returns the CPU microseconds of a call, measured in a new process. */
async function cpuOfCalls(
  { api, tenant }: Site,
  way: Way,
  prefix: string,
  calls: number,
  callers: number,
  signal: AbortSignal,
): Promise<number> {
  const credentials = [api.url, tenant.apiKey, tenant.authToken];
  const parameters = [caller, way, ...credentials, prefix, String(calls), String(callers)];
  const { stdout } = await promisify(execFile)(process.execPath, parameters, {
    env: plainEnvironment(),
    signal,
  });
  return Number(stdout);
}
