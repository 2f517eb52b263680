import { describe } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { launchChromium } from './chromium.ts';

/** Chromium for one test file, which calls `afterAll(browser.close)`. */
export interface TestBrowser {
  /** `describe`, or `describe.skip` where no browser starts. */
  readonly describe: typeof describe | typeof describe.skip;
  /** A page in a context of its own: it shares no storage, cache or permissions with other pages. */
  newPage(options?: BrowserContextOptions): Promise<Page>;
  readonly close: () => Promise<void>;
}

/**
 * Starts the browser of `CHROMIUM_PATH`, or else of @sparticuz/chromium. Where it does not start, prints one line with the
 * reason, and the tests are skipped; rejects instead when `TEST_BROWSER` is `required`.
 */
export async function startTestBrowser(environment: NodeJS.ProcessEnv = process.env): Promise<TestBrowser> {
  const browser = await launchChromium(environment).catch((error: unknown) => {
    const reason = `Chromium: not started: ${(error as Error).message.split('\n')[0] ?? ''}`;
    if (environment['TEST_BROWSER'] === 'required') throw new Error(reason, { cause: error });
    process.stderr.write(`${reason}\n`);
  });
  return {
    describe: browser === undefined ? describe.skip : describe,
    async newPage(options) {
      if (browser === undefined) throw new Error('No browser was started: use its describe.');
      const context = await browser.newContext(options);
      return await context.newPage();
    },
    async close() {
      await browser?.close();
    },
  };
}
