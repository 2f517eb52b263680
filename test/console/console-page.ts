import axe from 'axe-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { TestBrowser } from '../support/browser.ts';

/** Members of the sign-in, by the label of their field. */
export type Credentials =
  | { readonly 'Workspace id': string; readonly 'Auth token': string }
  | { readonly 'API key': string; readonly 'Auth token': string }
  | { readonly 'Operator token': string };

export interface ConsolePage {
  readonly page: Page;
  /** Errors of scripts and violations of the Content Security Policy so far. */
  readonly faults: readonly string[];
}

/** Opens a path of the console and waits for the sign-in. */
export async function openConsole(
  browser: TestBrowser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<ConsolePage> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (line) => {
    if (line.text().includes('Content Security Policy')) faults.push(line.text());
  });
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(url);
  await whenRendered(page);
  return { page, faults };
}

/** A starved browser may fail to load a script. Then the page stays empty, and its user reloads it. */
async function whenRendered(page: Page): Promise<void> {
  for (let reloads = 0; reloads < 5; reloads += 1) {
    try {
      await page.locator('#root > *').first().waitFor({ state: 'attached', timeout: 60_000 });
      return;
    } catch {
      await page.reload();
    }
  }
}

export async function signIn(page: Page, credentials: Credentials): Promise<void> {
  const way = 'Workspace id' in credentials ? 'workspace' : 'API key' in credentials ? 'key' : 'operator';
  await page.getByLabel('Sign in with').selectOption(way);
  for (const [label, value] of Object.entries(credentials)) await page.getByLabel(label).fill(value);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('#content').waitFor();
}

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Returns the rules of axe that the page breaks, each with its elements. */
export async function accessibilityViolations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<{ readonly violations: readonly Finding[] }>(
    `axe.run(document, { resultTypes: ['violations'] })`,
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' ')}`);
}
