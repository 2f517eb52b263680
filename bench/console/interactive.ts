import type { Browser } from 'playwright-core';
import { median, type Figure } from '../figure.ts';
import type { Bench } from '../run.ts';
import type { Site } from '../site.ts';
import { openTab, showsData, whenTrue, withBrowser } from './browser.ts';
import { ofWorkspace, signIn, type BenchSession } from './session.ts';
import { loadWorld } from './world.ts';

const loads = 5;
/** The factor by which the tab's processor is slowed down. */
const throttling = 4;

/** Runs in each document from its start: records when it showed its data and when its last long task ended. */
const watching = `
  window.shownAt = undefined;
  window.busyUntil = 0;
  new PerformanceObserver((list) => {
    for (const task of list.getEntries()) window.busyUntil = task.startTime + task.duration;
  }).observe({ type: 'longtask', buffered: true });
  new MutationObserver(() => {
    if (!${showsData}) window.shownAt = undefined;
    else window.shownAt ??= performance.now();
  }).observe(document, { childList: true, subtree: true, characterData: true });`;

/** Expression that the page evaluates: the time to interactive, once data are shown and no long task has run for 1 s. */
const interactiveAt = `window.shownAt !== undefined && performance.now() - Math.max(window.shownAt, window.busyUntil) > 1_000
  && Math.max(window.shownAt, window.busyUntil)`;

/** Returns the milliseconds from the navigation in a tab with an empty cache until data are shown and long tasks have ended. */
async function timeLoad(browser: Browser, site: Site, session: BenchSession, path: string): Promise<number> {
  const tab = await openTab(browser, site, session);
  try {
    // A page of the same origin first: the tab then keeps its process, and with it the throttling.
    await tab.page.goto(`${site.api.url}/healthz`);
    await tab.page.addInitScript(watching);
    await tab.devTools.send('Emulation.setCPUThrottlingRate', { rate: throttling });
    await tab.page.goto(`${site.api.url}/console${path}`);
    return await whenTrue<number>(tab, interactiveAt);
  } finally {
    await tab.close();
  }
}

/** Measures opening a page in a new tab with a processor four times slower. */
export const timeInteractive: Bench = async (site, run) => {
  const world = await loadWorld(site, run, []);
  const { keyId, steward } = world.key;
  await steward.documents.add({
    organizationId: world.organizationId,
    documents: Array.from({ length: 100 }, (_, n) => ({ documentId: `document-${String(n)}` })),
  });
  await steward.workspace.advancedWebhookConfig.update({ isEnabled: true });
  for (let n = 0; n < 20; n += 1)
    await steward.workspace.advancedWebhook.endpoints.create({ url: `https://example.com/${String(n)}` });
  const key = `/keys/${keyId}`;
  const pages = {
    Overview: `${key}/overview`,
    'documents of an organization': `${key}/organization?organizationId=${world.organizationId}`,
    Webhooks: `${key}/webhooks`,
  };
  const session = await signIn(site.api, ofWorkspace(site));
  return withBrowser(run, async (browser) => {
    const figures: Figure[] = [];
    for (const [name, path] of Object.entries(pages)) {
      run.show(`Opening ${name} …`);
      const times: number[] = [];
      for (let load = 0; load < loads; load += 1) times.push(await timeLoad(browser, site, session, path));
      figures.push({
        name: `${name}: interactive, ${String(throttling)}× CPU throttling`,
        unit: 's',
        steward: median(times) / 1_000,
        target: { of: 'measured', is: 'at most', value: 2.5 },
      });
    }
    return figures;
  });
};
