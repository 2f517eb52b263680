import { choosePort } from '../local/ports.ts';
import type { Comparison } from './comparison.ts';
import { organizationComparisons } from './organizations.ts';
import { comparing, type Bench } from './run.ts';
import { scrapeRepeatedly, type RunningApi, type Site } from './site.ts';
import { activityComparisons, documentComparisons } from './writes.ts';

/**
 * Compares the rates of an API process that serves metrics, which are scraped, with one that serves none. Both get the
 * calls of other benches. Their floors do not depend on metrics, so these rates compare as the ratios to the floors do.
 */
export const compareThroughput: Bench = async (site, run) => {
  const port = String(await choosePort(undefined));
  const api = await site.startApi({ METRICS_PORT: port });
  const stopScraping = scrapeRepeatedly(`http://127.0.0.1:${port}/metrics`);
  try {
    const comparisons = [
      ...(await organizationComparisons(site)),
      ...documentComparisons(site),
      ...activityComparisons(site),
    ];
    const compared = comparing(() => comparisons.map((comparison) => withMetrics(site, api, comparison)));
    return await compared({ ...site, api }, run);
  } finally {
    await stopScraping();
    await api.stop();
  }
};

const withMetrics = (
  site: Site,
  api: RunningApi,
  { name, connections, steward }: Comparison,
): Comparison => ({
  name: `${name}, with metrics`,
  connections,
  steward: { ...steward, url: steward.url.replace(site.api.url, api.url) },
  against: [
    {
      name: 'without metrics',
      target: steward,
      by: { pid: site.api.pid, application: 'steward' },
      aim: { of: 'ratio', is: 'at least', value: 0.95 },
    },
  ],
});
