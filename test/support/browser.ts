import { describe } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { launchChromium } from './chromium.ts';

/** Max milliseconds of a wait in a page: enough for a machine that is overloaded tenfold. */
const pageMs = 600_000;

/** Chromium for one test file, which must call `afterAll(browser.close)`. */
export interface TestBrowser {
  /** `describe`, or `describe.skip` where no browser starts. */
  readonly describe: typeof describe | typeof describe.skip;
  /** Opens a page in a separate context, without storage, cache or permissions of other pages. */
  newPage(options?: BrowserContextOptions): Promise<Page>;
  readonly close: () => Promise<void>;
}

/**
 * Starts the browser of `CHROMIUM_PATH` or of @sparticuz/chromium. When it does not start, prints the reason in one
 * line and skips the tests, or rejects when `TEST_BROWSER` is `required`.
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
      context.setDefaultTimeout(pageMs);
      return await context.newPage();
    },
    async close() {
      await browser?.close();
    },
  };
}
