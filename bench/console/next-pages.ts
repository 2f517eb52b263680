import { quantile, type Figure } from '../figure.ts';
import { label } from '../label.ts';
import type { Bench } from '../run.ts';
import { openNext, openPage, openTab, withBrowser, type Tab } from './browser.ts';
import { ofWorkspace, signIn } from './session.ts';
import { loadWorld } from './world.ts';

const pages = 200;

/** Returns the megabytes of the tab's JavaScript heap after a garbage collection. */
async function heapOf({ devTools }: Tab): Promise<number> {
  await devTools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devTools.send('Runtime.getHeapUsage');
  return usedSize / 1e6;
}

/** Pages through a list in the browser. Measures the time of a page and the heap that the tab retains. */
export const openManyPages: Bench = async (site, run) => {
  const world = await loadWorld(site, run, ['organizations', 'messages', 'jobs']);
  const key = `/keys/${world.key.keyId}`;
  const lists = {
    organizations: `${key}/organizations`,
    messages: `${key}/endpoint?endpointId=${world.endpointId}`,
    jobs: `${key}/jobs`,
  } as const;
  const session = await signIn(site.api, ofWorkspace(site));
  return withBrowser(run, async (browser) => {
    const figures: Figure[] = [];
    for (const [name, path] of Object.entries(lists)) {
      const rows = run.sizes[name as keyof typeof lists];
      run.show(`Paging through ${name} …`);
      const tab = await openTab(browser, site, session);
      try {
        await openPage(tab, site, path);
        const before = await heapOf(tab);
        const times: number[] = [];
        for (let page = 0; page < pages; page += 1) times.push(await openNext(tab));
        figures.push(
          {
            name: `${name} of ${label(rows)}: from Next to the rows on the screen, p95 of ${String(pages)}`,
            unit: 'ms',
            steward: quantile(times, 0.95),
            target: { of: 'measured', is: 'at most', value: 300 },
          },
          {
            name: `${name}: JavaScript heap of the tab after ${String(pages)} pages`,
            unit: 'MB',
            steward: await heapOf(tab),
            against: { name: 'after the first', measured: before },
            target: { of: 'measured', is: 'at most', value: 80 },
          },
        );
      } finally {
        await tab.close();
      }
    }
    return figures;
  });
};
