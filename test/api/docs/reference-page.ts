import type { BrowserContextOptions, Page } from 'playwright-core';
import type { TestBrowser } from '../../support/browser.ts';

/** The reference page in a browser, with what its console and scripts reported. */
export interface ReferencePage {
  readonly page: Page;
  /** Errors of the console, which include refusals of the content security policy, and of scripts. */
  readonly errors: readonly string[];
}

/**
 * Opens `/docs` and waits until it has the details of every operation, or, if not `complete`, of the one that `hash` names.
 */
export async function openReference(
  browser: TestBrowser,
  url: string,
  {
    hash = '',
    complete = true,
    ...options
  }: BrowserContextOptions & { readonly hash?: string; readonly complete?: boolean } = {},
): Promise<ReferencePage> {
  const page = await browser.newPage(options);
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(`${url}/docs${hash}`);
  await page.locator('details.operation').first().waitFor();
  if (complete) {
    const withoutDetails = page.locator('details.operation:not(:has(> .body))').first();
    await withoutDetails.waitFor({ state: 'detached' });
  } else await page.locator('details.operation[open] > .body').waitFor();
  return { page, errors };
}
