import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { buildConsole } from '../../local/build-console.ts';
import { launchChromium } from '../../test/support/chromium.ts';
import type { Run } from '../run.ts';
import type { Site } from '../site.ts';
import type { BenchSession } from './session.ts';

/** Builds the console into the folder that the API serves, and runs `act` with a browser that closes afterwards. */
export async function withBrowser<Result>(
  { show, signal }: Run,
  act: (browser: Browser) => Promise<Result>,
): Promise<Result> {
  await buildConsole({ signal, show });
  const browser = await launchChromium();
  try {
    return await act(browser);
  } finally {
    await browser.close();
  }
}

/** A signed-in tab with an empty cache. */
export interface Tab {
  readonly page: Page;
  readonly devTools: CDPSession;
  close(): Promise<void>;
}

export async function openTab(browser: Browser, { api }: Site, { cookie }: BenchSession): Promise<Tab> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
  await context.addCookies([{ ...cookie, url: api.url, httpOnly: true, sameSite: 'Strict' }]);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  return {
    page,
    devTools: await context.newCDPSession(page),
    close: async () => context.close(),
  };
}

/** Expression that the page evaluates: whether it shows its data. */
export const showsData = `(document.querySelector('h1') !== null
  && ![...document.querySelectorAll('output')].some(({ textContent }) => /^Loading|still waiting/.test(textContent)))`;

const betweenLooksMs = 50;
const maxWaitMs = 60_000;

/** Evaluates the expression until it returns a value. Playwright's own wait evaluates text, which the page's policy refuses. */
export async function whenTrue<Found>({ page }: Tab, expression: string): Promise<Found> {
  const until = Date.now() + maxWaitMs;
  for (;;) {
    const found = await page.evaluate<Found | false>(expression);
    if (found !== false) return found;
    if (Date.now() >= until) throw new Error(`${page.url()} was not ready after a minute.`);
    await pause(betweenLooksMs);
  }
}

/** Opens a page of the console and waits until it shows its data. */
export async function openPage(tab: Tab, { api }: Site, path: string): Promise<void> {
  await tab.page.goto(`${api.url}/console${path}`);
  await whenTrue(tab, showsData);
}

/** Expression that the page evaluates: presses Next and returns the milliseconds until the first row on the screen changes. */
const pressNext = `new Promise((resolve, reject) => {
  const first = () => document.querySelector('tbody tr')?.textContent;
  const before = first();
  const next = [...document.querySelectorAll('nav.pager button')].at(-1);
  if (before === undefined || next === undefined || next.disabled) return reject(new Error('The list has no next page.'));
  const began = performance.now();
  const watch = new MutationObserver(() => {
    if (first() === before) return;
    watch.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)));
  });
  watch.observe(document.body, { childList: true, subtree: true, characterData: true });
  next.click();
})`;

/** Opens the next page of the list. Returns the milliseconds that it took. */
export const openNext = async ({ page }: Tab): Promise<number> => page.evaluate<number>(pressNext);
