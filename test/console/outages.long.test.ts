import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import { startTestApi } from '../support/api.ts';
import { startTestBrowser } from '../support/browser.ts';
import { buildServedConsole } from '../support/built-console.ts';
import { aDatabase } from '../support/database.ts';
import { operatorToken } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { aTenant } from '../support/factories.ts';
import { aReceiver } from '../support/receiver.ts';
import { keyPathsOf, operatorPathsOf, recordPathsOf } from './all-pages.ts';
import { openConsole, signIn, type Credentials } from './console-page.ts';
import { furnished } from './furnished.ts';

const [api, browser, receiver] = await Promise.all([
  startTestApi({ environment: { STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' } }),
  startTestBrowser(),
  aReceiver(),
  buildServedConsole(),
]);
afterAll(async () => {
  await browser.close();
  await api.close();
  await receiver.close();
});

let sessions: readonly (readonly [Credentials, readonly string[]])[];

beforeAll(async () => {
  const records = await furnished(api, receiver, 'Quarterly plan');
  const { apiKey, authToken, workspace } = records.tenant;
  // Both pages call the API for an act only.
  const { export: _export, deletion: _deletion, ...paths } = recordPathsOf(records);
  sessions = [
    [{ 'Workspace id': workspace.workspaceId, 'Auth token': workspace.authToken }, Object.values(paths)],
    [{ 'API key': apiKey, 'Auth token': authToken }, keyPathsOf(records)],
    [{ 'Operator token': operatorToken }, operatorPathsOf(records)],
  ];
});

const calls = /\/console\/(?:api\/|sessions)|\/openapi\.json|\/\.well-known/;
/** Pages that are opened concurrently: a slow call takes 10 s. */
const atOnce = 8;

/** Opens every page while its calls are handled this way. Returns the pages that do not show `text`, or do not show their data afterwards. */
async function pagesWithout(
  text: string,
  treat: (route: Route) => Promise<void>,
): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const [credentials, paths] of sessions) {
    const { page: first } = await openConsole(browser, `${api.url}/console`);
    await signIn(first, credentials);
    const left = [...paths];
    const next = async (): Promise<void> => {
      const page = await first.context().newPage();
      for (let path = left.pop(); path !== undefined; path = left.pop())
        if (!(await showsAndRecovers(page, path, text, treat))) failed.push(path);
    };
    await Promise.all(Array.from({ length: atOnce }, next));
  }
  return failed;
}

async function showsAndRecovers(
  page: Page,
  path: string,
  text: string,
  treat: (route: Route) => Promise<void>,
): Promise<boolean> {
  const shown = page.getByText(text).first();
  const gone = page
    .getByText(/^Loading …$|^The API is slow|^The API does not respond|^Rate limit exceeded/)
    .first();
  try {
    await page.route(calls, treat);
    await page.goto(`${api.url}/console${path}`);
    await shown.waitFor();
    await page.unroute(calls, treat);
    await gone.waitFor({ state: 'hidden', timeout: 600_000 });
    return (await page.getByRole('alert').count()) === 0;
  } catch {
    return false;
  }
}

browser.describe('every page', () => {
  it('shows that the API does not respond, and its data once it does', async () => {
    expect(await pagesWithout('The API does not respond.', (route) => route.abort())).toEqual([]);
  });

  it('names a rate limit, and shows its data once it is over', async () => {
    const refuse = (route: Route): Promise<void> =>
      route.fulfill({
        status: 429,
        headers: { 'retry-after': '1' },
        json: { error: { status: 'RESOURCE_EXHAUSTED', message: 'Too many requests.' } },
      });
    expect(await pagesWithout('Rate limit exceeded.', refuse)).toEqual([]);
  });

  it('shows that the API is slow while a response takes 10 seconds, and then the response', async () => {
    const text = 'The API is slow: still waiting for its response …';
    const delay = async (route: Route): Promise<void> => {
      // On a busy machine, a page may take longer than 10 seconds until it shows the text.
      const shown = route.request().frame().page().getByText(text).first();
      await Promise.all([
        new Promise((resolve) => setTimeout(resolve, 10_000)),
        shown.waitFor({ timeout: 600_000 }).catch(() => undefined),
      ]);
      await route.fallback();
    };
    expect(await pagesWithout(text, delay)).toEqual([]);
  });
});

browser.describe('the console', () => {
  it('shows that the API has ended, also on pages whose code is not loaded, and recovers', async () => {
    const database = await aDatabase();
    const first = await startTestApi({ database });
    const tenant = await aTenant(first);
    const { page, faults } = await openConsole(browser, `${first.url}/console/keys/${tenant.keyId}/jobs`);
    await signIn(page, { 'API key': tenant.apiKey, 'Auth token': tenant.authToken });
    await page.getByText('No jobs match.').waitFor();
    await first.close();
    await page.getByLabel('Status').selectOption('failed');
    await page.getByText('The API does not respond.').first().waitFor();
    await page.getByRole('link', { name: 'Organizations' }).click();
    await page.waitForURL(/organizations/);
    await page.getByText('The API does not respond.').first().waitFor();
    const again = await startTestApi({ database, environment: { PORT: new URL(first.url).port } });
    try {
      await page.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor();
      await page.getByText('The API does not respond.').first().waitFor({ state: 'hidden' });
      expect(faults).toEqual([]);
    } finally {
      await again.close();
      await database.drop();
    }
  });

  it('is not replaced by the error page of a proxy while the code of a page cannot be loaded', async () => {
    const tenant = await aTenant(api);
    const { page } = await openConsole(browser, `${api.url}/console/keys/${tenant.keyId}/jobs`);
    await signIn(page, { 'API key': tenant.apiKey, 'Auth token': tenant.authToken });
    await page.getByText('No jobs match.').waitFor();
    // A younger tab is not reloaded in any case.
    await eventually(() => page.evaluate<boolean>('performance.now() > 11000'));
    await page.evaluate('globalThis.isFirstLoad = true');
    await page.route('**/console/**', (route) => route.fulfill({ status: 502, body: 'Bad gateway' }));
    await page.getByRole('link', { name: 'Organizations' }).click();
    await page.getByText('The code of this page could not be loaded.').waitFor();
    const failed = page.waitForResponse((response) => response.url().includes('/assets/'));
    expect((await failed).status()).toBe(502);
    expect(await page.evaluate('isFirstLoad')).toBe(true);
    await page.unroute('**/console/**');
    await page.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor();
  });
});
