import { beforeAll, expect, it } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { aTenant } from '../support/factories.ts';
import { openConsole, signIn, type Credentials } from './console-page.ts';
import { consoleScene, signInsOf } from './console-scene.ts';

const { api, browser } = await consoleScene();

const tenant = await aTenant(api);
const { keyId } = tenant;
const { byKey, byWorkspace } = signInsOf(tenant);
/** An integer beyond those of JavaScript. */
const longId = '12345678901234567890';

async function open(
  path: string,
  credentials: Credentials = byKey,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const { page } = await openConsole(browser, `${api.url}/console${path}`, options);
  await signIn(page, credentials);
  return page;
}

beforeAll(async () => {
  await tenant.ok('/v2/organizations/add', {
    organizations: [{ organizationId: longId, organizationName: 'Numbered' }, { organizationId: 'acme' }],
  });
});

browser.describe('a list of the console', () => {
  it('opens the tokens of an API key on a later page', async () => {
    await Promise.all(Array.from({ length: 50 }, () => aTenant(api, { workspace: tenant.workspace })));
    const page = await open('/api-keys', byWorkspace);
    const rows = page.getByRole('table', { name: 'API keys' }).getByRole('row');
    await eventually(async () => (await rows.count()) === 51);
    await page.getByRole('button', { name: 'Next' }).click();
    await eventually(async () => (await rows.count()) === 2);
    await page.getByRole('link', { name: 'Tokens' }).click();
    await page.getByRole('heading', { name: /^Scoped tokens of/ }).waitFor();
    await page.getByRole('button', { name: 'First page' }).click();
    await page.getByText(/^This page does not list the API key akid_/).waitFor();
  });

  it('distinguishes an empty page from an empty list', async () => {
    const page = await open('/audit-log', byWorkspace);
    await page.route('**/auditlog/get', async (route) => {
      const { data } = route.request().postDataJSON() as { readonly data: { readonly pageToken?: string } };
      const next = data.pageToken === undefined && { nextPageToken: 'next' };
      await route.fulfill({ json: { result: { status: 'success', message: '', data: [], ...next } } });
    });
    await page.getByLabel('Outcome').selectOption('denied');
    await page.getByText('None on this page; later pages may have some.').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('None on this page.').waitFor();
    await page.unroute('**/auditlog/get');
    await page.goto(`${api.url}/console/audit-log?action=none.such`);
    await page.getByText('No entries match.').waitFor();
  });
});

browser.describe('an id in a URL', () => {
  it.each([longId, '12', '1e3', 'true', '{"a":1}'])('stays as typed: %s', async (id) => {
    const sent = encodeURIComponent(id);
    const page = await open(`/keys/${keyId}/organization?organizationId=${sent}`);
    await page.getByRole('heading', { name: id === longId ? 'Numbered' : id, exact: true }).waitFor();
  });

  it('stays as it is in a link of the console', async () => {
    const page = await open(`/keys/${keyId}/organizations`);
    await page.getByRole('link', { name: 'Numbered' }).click();
    await page.getByRole('heading', { name: 'Numbered' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Numbered' }).waitFor();
  });
});

browser.describe('a form of the console', () => {
  it('keeps a text that was typed when a filter is chosen, and follows the URL', async () => {
    const page = await open('/audit-log', byWorkspace);
    const actor = page.getByLabel('Actor', { exact: true });
    await actor.fill('ada');
    await page.getByLabel('Outcome').selectOption('denied');
    await page.waitForURL(/outcome=denied/);
    await expect(actor.inputValue()).resolves.toBe('ada');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.waitForURL(/actor=ada/);
    await page.goBack();
    await eventually(async () => (await actor.inputValue()) === '');
  });

  it('sends an id with its white space', async () => {
    const userId = ' ada ';
    const organizationId = 'acme';
    await tenant.ok('/v2/users/add', { organizationId, users: [{ userId, name: 'Ada Lovelace' }] });
    const page = await open(`/keys/${keyId}/users?organizationId=${organizationId}`);
    await page.getByLabel('User id').fill(userId);
    const reading = page.waitForRequest('**/users/data/get');
    await page.getByRole('button', { name: 'Open' }).click();
    expect((await reading).postDataJSON()).toMatchObject({ data: { userId } });
  });
});

browser.describe('a time', () => {
  it('names the offset of the reader’s zone on its day', async () => {
    const organizationId = 'acme';
    const year = new Date().getFullYear() + 1;
    const times = { winter: Date.UTC(year, 0, 15), summer: Date.UTC(year, 6, 15) };
    const documents = Object.keys(times).map((documentId) => ({ documentId }));
    await tenant.ok('/v2/organizations/documents/add', { organizationId, documents });
    const resources = Object.entries(times).map(([id, at]) => {
      return { type: 'document', id, organizationId, expiresAt: at / 1_000 };
    });
    await tenant.ok('/v2/auth/permissions/add', { user: { userId: 'guest' }, permissions: { resources } });
    const options = { timezoneId: 'Europe/Berlin' };
    const page = await open(`/keys/${keyId}/user?organizationId=acme&userId=guest`, byKey, options);
    const shown = page.getByRole('table', { name: 'Grants' });
    const titleAt = (at: number): Promise<string | null> =>
      shown.locator(`time[datetime="${new Date(at).toISOString()}"]`).getAttribute('title');
    expect(await titleAt(times.winter)).toContain('(shown in GMT+01:00)');
    expect(await titleAt(times.summer)).toContain('(shown in GMT+02:00)');
  });
});
