import { choosePort } from '../local/ports.ts';
import { measure, type Subject } from './comparison.ts';
import { median, type Figure } from './figure.ts';
import { load } from './load.ts';
import type { Bench } from './run.ts';
import type { RunningApi, Site } from './site.ts';

const connections = 50;

/** Runs, and requests of each: before the measurement, for the compiler of V8, and measured. */
const amounts = {
  full: { runs: 5, warmUp: 40_000, measured: 40_000 },
  quick: { runs: 3, warmUp: 10_000, measured: 10_000 },
} as const;

/**
 * CPU time of a small read in an API process that serves metrics and is scraped meanwhile, against one that does not. Each
 * run has a new process of both, in turn: two processes of the same code differ by some percent.
 */
export const measureMetrics: Bench = async (site, { quick, show, signal }): Promise<Figure[]> => {
  const { runs, ...requests } = amounts[quick ? 'quick' : 'full'];
  const metricsPort = String(await choosePort(undefined));
  show('organizations/get of 1, with metrics and without …');
  const pairs: { readonly without: number; readonly served: number }[] = [];
  while (pairs.length < runs) {
    signal.throwIfAborted();
    const without = await cpuOfRun(site, {}, requests);
    pairs.push({ without, served: await cpuOfRun(site, { METRICS_PORT: metricsPort }, requests) });
  }
  return [
    {
      name: 'organizations/get of 1: CPU of the API, with metrics',
      unit: 'µs',
      steward: median(pairs.map(({ served }) => served)),
      against: { name: 'without metrics', measured: median(pairs.map(({ without }) => without)) },
      ratio: median(pairs.map(({ served, without }) => served / without)),
      target: { of: 'ratio', is: 'at most', value: 1.03 },
    },
  ];
};

/** CPU microseconds of a request in a new process. */
async function cpuOfRun(
  site: Site,
  environment: { readonly METRICS_PORT?: string },
  { warmUp, measured }: { readonly warmUp: number; readonly measured: number },
): Promise<number> {
  const api = await site.startApi(environment);
  try {
    const subject = subjectOf(site, api);
    await load(subject.target, { connections, amount: warmUp });
    const scraped = scrape(environment.METRICS_PORT);
    const { cpu } = await measure(site, subject, { connections, amount: measured });
    await scraped;
    return cpu?.server ?? Number.NaN;
  } finally {
    await api.stop();
  }
}

const subjectOf = ({ tenant }: Site, { url, pid }: RunningApi): Subject => ({
  target: {
    url: `${url}/v2/organizations/get`,
    headers: tenant.headers,
    body: JSON.stringify({ data: { organizationIds: [tenant.organization] } }),
  },
  pid,
  application: 'steward',
});

async function scrape(port: string | undefined): Promise<void> {
  if (port !== undefined) await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
}
