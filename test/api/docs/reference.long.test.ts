import { afterAll, beforeAll, expect, it } from '@jest/globals';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { startTestApi } from '../../support/api.ts';
import { startTestBrowser } from '../../support/browser.ts';
import { aTenant, freshId, type TestTenant } from '../../support/factories.ts';
import { openReference } from './reference-page.ts';

const [api, browser] = await Promise.all([startTestApi(), startTestBrowser()]);
afterAll(async () => {
  await browser.close();
  await api.close();
});

const open = (options = {}) => openReference(browser, api.url, options);
const operation = (page: Page, id: string) => page.locator(`[id="${id}"]`);
/** Waits until the operation is open. */
const opened = (page: Page, id: string) => page.locator(`[id="${id}"][open]`).waitFor();
const shownIds = `
  [...document.querySelectorAll('details.operation')].filter((view) => view.checkVisibility()).map(({ id }) => id)`;

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const forms = [
  ['on a desktop', { viewport: { width: 1280, height: 900 } }],
  ['on a desktop in dark mode', { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' as const }],
  ['on a phone', phone],
  ['on a phone in dark mode', { ...phone, colorScheme: 'dark' as const }],
] as const;

browser.describe('the reference page', () => {
  const violations = async (page: Page) => {
    await page.evaluate(axe.source);
    const result: {
      readonly violations: readonly {
        readonly id: string;
        readonly nodes: readonly { readonly html: string }[];
      }[];
    } = await page.evaluate(`axe.run(document, { resultTypes: ['violations'] })`);
    return result.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))]);
  };

  it.each(forms)('%s has no violation of axe in any state', async (_, options) => {
    const { page, errors } = await open({ ...options, hash: '#organizations.add' });
    const add = operation(page, 'organizations.add');
    await add.getByText('Try it').click();
    for (const input of await add.locator('input').all()) await input.fill('x');
    await add.getByText('Send', { exact: true }).click();
    await page.locator('dialog').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.locator('dialog').getByText('Send', { exact: true }).click();
    await add.locator('.outcome pre').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.fill('#search', 'zebra crossing');
    await page.getByText('Nothing found').waitFor();
    if ('isMobile' in options) await page.locator('#menu').click();
    expect(await violations(page)).toEqual([]);
    // The browser reports the refused call.
    expect(errors).toEqual([expect.stringContaining('403')]);
  });

  it.each(forms)('%s fits the width, and no Copy button covers code', async (_, options) => {
    const { page } = await open({ ...options, hash: '#documents.get' });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    const covered: number = await page.evaluate(`
      [...document.querySelectorAll('.code')].filter((code) => {
        const [button, pre] = ['.bar > button', 'pre'].map((name) => code.querySelector(name).getBoundingClientRect());
        return button.height > 0 && button.bottom > pre.top;
      }).length`);
    expect(covered).toBe(0);
    const get = operation(page, 'documents.get');
    await get.getByText('Copy').first().click();
    await get.getByText(/Copied|Selected/).waitFor();
  });

  it('transfers at most 300 kB, details of all operations included', async () => {
    const page = await browser.newPage();
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    let bytes = 0;
    session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
    await page.goto(`${api.url}/docs`);
    await page.waitForLoadState('networkidle');
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(300_000);
  });
});

browser.describe('links of the reference page', () => {
  it('follow the opened and closed operation', async () => {
    const { page } = await open();
    const hash = () => page.evaluate('location.hash');
    const summary = operation(page, 'documents.get').locator('summary').first();
    await summary.click();
    await page.waitForURL(({ hash }) => hash === '#documents.get');
    expect(await page.locator('nav [aria-current]').textContent()).toContain('organizations/documents/get');
    await operation(page, 'documents.add').locator('summary').first().click();
    await page.waitForURL(({ hash }) => hash === '#documents.add');
    await operation(page, 'documents.add').locator('summary').first().click();
    await page.waitForURL(({ hash }) => hash === '');
    await page.locator('nav a[href="#folders.get"]').click();
    await opened(page, 'folders.get');
    expect(await hash()).toBe('#folders.get');
  });

  it('open an operation by the id of its deprecated alias, also one that the search hides', async () => {
    const { page } = await open({ hash: '#v1.documents.get' });
    await opened(page, 'documents.get');
    await page.fill('#search', 'folders/add');
    await page.evaluate(`location.hash = '#ABORTED'`);
    await page.locator('#ABORTED').waitFor();
    expect(await page.inputValue('#search')).toBe('');
  });

  it('skip to the reference', async () => {
    const { page } = await open();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the reference');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
  });

  it('keep closed operations reachable by find-in-page', async () => {
    const { page } = await open();
    const closed: { readonly open: boolean; readonly text: string; readonly visibility: string } =
      await page.evaluate(`(() => {
        const { open, textContent } = document.querySelector('[id="documents.migrate"]');
        const content = getComputedStyle(document.querySelector('[id="documents.migrate"]'), '::details-content');
        return { open, text: textContent, visibility: content.contentVisibility };
      })()`);
    // Browsers search and open content with `hidden="until-found"`, but not content that is not displayed.
    expect(closed).toMatchObject({ open: false, visibility: 'hidden' });
    expect(closed.text).toContain('newDocumentId');
  });
});

browser.describe('the search of the reference page', () => {
  const found = async (page: Page, words: string) => {
    await page.fill('#search', words);
    const ids: readonly string[] = await page.evaluate(shownIds);
    return ids;
  };

  it('covers names, members, errors and descriptions', async () => {
    const { page } = await open();
    const named = await found(page, 'documents/migrate/status');
    expect(named).toContain('documents.getMigrationStatus');
    expect(named).not.toContain('documents.add');
    expect(await found(page, 'newDocumentId')).toContain('documents.migrate');
    expect(
      await page.locator('nav li:visible', { hasText: 'documents/migrate' }).first().textContent(),
    ).toContain('newDocumentId');
    expect(await found(page, 'ALREADY_EXISTS')).toContain('workspace.advancedWebhook.endpoints.create');
    expect(await page.locator('#ALREADY_EXISTS').isVisible()).toBe(true);
    expect(await found(page, 'compared byte by byte')).toContain('documents.get');
  });

  it('reports when nothing was found, and shows everything again', async () => {
    const { page } = await open();
    const all = await found(page, '');
    expect(await found(page, 'zebra crossing')).toEqual([]);
    expect(await page.locator('#found').textContent()).toContain('Nothing found for “zebra crossing”.');
    await page.getByText('Clear the search').click();
    expect(await page.evaluate(shownIds)).toEqual(all);
    expect(await page.evaluate('document.activeElement.id')).toBe('search');
  });
});

browser.describe('the Send button of the reference page', () => {
  let tenant: TestTenant;
  beforeAll(async () => {
    tenant = await aTenant(api);
  });

  /** Fills in the form of an operation. */
  async function prepare(page: Page, id: string, data: object) {
    const view = operation(page, id);
    await view.getByText('Try it').click();
    await view.getByLabel('x-svc-api-key').fill(tenant.apiKey);
    await view.getByLabel('x-svc-auth-token').fill(tenant.authToken);
    await view.getByLabel('Body').fill(JSON.stringify({ data }));
    return {
      send: view.locator('.send').getByText('Send', { exact: true }),
      outcome: view.locator('.outcome'),
    };
  }

  it('shows the response of a read', async () => {
    const { page, errors } = await open({ hash: '#organizations.get' });
    const { send, outcome } = await prepare(page, 'organizations.get', {});
    await send.click();
    await outcome.locator('pre').waitFor();
    expect(await outcome.textContent()).toMatch(/^200 after \d+ ms/);
    expect(await outcome.textContent()).toContain('"status": "success"');
    expect(errors).toEqual([]);
  });

  it('sends a write only after a confirmation', async () => {
    const { page } = await open({ hash: '#organizations.add' });
    const organizationId = freshId('organization');
    const exists = async () =>
      (await tenant.ok<readonly unknown[]>('/v2/organizations/get', { organizationIds: [organizationId] }))
        .data.length === 1;
    const { send, outcome } = await prepare(page, 'organizations.add', {
      organizations: [{ organizationId }],
    });
    await send.click();
    await page.locator('dialog').getByText('Cancel').click();
    expect([await exists(), await outcome.textContent()]).toEqual([false, '']);
    await send.click();
    await page.keyboard.press('Escape');
    expect(await exists()).toBe(false);
    await send.click();
    await page.locator('dialog').getByText('Send', { exact: true }).click();
    await outcome.locator('pre').waitFor();
    expect(await exists()).toBe(true);
  });

  it('keeps credentials for other operations, and drops them on reload', async () => {
    const { page } = await open({ hash: '#organizations.get' });
    await prepare(page, 'organizations.get', {});
    await page.evaluate(`location.hash = '#documents.get'`);
    const other = operation(page, 'documents.get');
    await other.getByText('Try it').click();
    expect(await other.getByLabel('x-svc-api-key').inputValue()).toBe(tenant.apiKey);
    const stored = `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])`;
    expect(await page.evaluate(stored)).not.toContain(tenant.authToken);
    await page.reload();
    await other.getByText('Try it').click();
    expect(await other.getByLabel('x-svc-api-key').inputValue()).toBe('');
  });

  it('names missing members without a call', async () => {
    const { page } = await open({ hash: '#organizations.get' });
    const view = operation(page, 'organizations.get');
    await view.getByText('Try it').click();
    const send = view.locator('.send').getByText('Send', { exact: true });
    await send.click();
    expect(await view.locator('.outcome').textContent()).toBe('Enter x-svc-api-key.');
    await view.getByLabel('x-svc-api-key').fill('key');
    await view.getByLabel('x-svc-auth-token').fill('token');
    await view.getByLabel('Body').fill('{');
    await send.click();
    expect(await view.locator('.outcome').textContent()).toContain('The body is not JSON');
  });
});
