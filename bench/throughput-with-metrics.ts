import { choosePort } from '../local/ports.ts';
import { comparing, type Comparison } from './comparison.ts';
import { median, type Figure } from './figure.ts';
import { load, type Target } from './load.ts';
import { organizationComparisons } from './organizations.ts';
import type { Bench } from './run.ts';
import { scrapeRepeatedly, type RunningApi, type Site } from './site.ts';
import { activityComparisons, documentComparisons } from './writes.ts';

/** Pairs of processes, and requests that warm each of them up. */
const amounts = { full: { pairs: 5, warmUp: 30_000 }, quick: { pairs: 1, warmUp: 2_000 } } as const;

/**
 * Compares the rates of an API process that serves metrics, which are scraped, with one that serves none. Both get the
 * calls of other benches. Their floors do not depend on metrics, so these rates compare as the ratios to the floors do.
 * V8 optimizes two processes differently, so there are several pairs; each figure is the median of theirs.
 */
export const compareThroughput: Bench = async (site, run) => {
  const { pairs, warmUp } = amounts[run.quick ? 'quick' : 'full'];
  const comparisons = [
    ...(await organizationComparisons(site)),
    ...documentComparisons(site),
    ...activityComparisons(site),
  ];
  const measured: Figure[][] = [];
  while (measured.length < pairs) {
    const port = String(await choosePort(undefined));
    const api = await site.startApi({ METRICS_PORT: port });
    const rival = await site.startApi({});
    const stopScraping = scrapeRepeatedly(`http://127.0.0.1:${port}/metrics`);
    try {
      const both = comparisons.map((comparison) => withMetrics(site, { api, rival }, comparison));
      for (const { steward, against } of both.slice(0, 1))
        for (const target of [steward, ...against.map((one) => one.target)])
          await load(target, { connections: 50, amount: warmUp });
      measured.push(await comparing(() => both)({ ...site, api }, run));
    } finally {
      await stopScraping();
      await Promise.all([api.stop(), rival.stop()]);
    }
  }
  return comparisons.flatMap((_, index) => medianOf(measured.flatMap((figures) => figures[index] ?? [])));
};

const withMetrics = (
  site: Site,
  { api, rival }: Readonly<Record<'api' | 'rival', RunningApi>>,
  { name, connections, steward }: Comparison,
): Comparison => {
  const targetOf = ({ url }: RunningApi): Target => ({
    ...steward,
    url: steward.url.replace(site.api.url, url),
  });
  return {
    name: `${name}, with metrics`,
    connections,
    steward: targetOf(api),
    against: [
      {
        name: 'without metrics',
        target: targetOf(rival),
        by: { pid: rival.pid, application: 'steward' },
        aim: { of: 'ratio', is: 'at least', value: 0.95 },
      },
    ],
  };
};

/** The figure whose ratio is the median. */
function medianOf(figures: readonly Figure[]): Figure[] {
  const middle = median(figures.map(({ ratio = Number.NaN }) => ratio));
  return figures.filter(({ ratio }) => ratio === middle).slice(0, 1);
}
