import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { operatorToken } from '../support/environment.ts';
import { anOrganization, aTenant } from '../support/factories.ts';
import { anEndpoint, aListeningTenant } from '../support/webhooks.ts';
import { openConsole, signIn, type Credentials } from './console-page.ts';
import { consoleScene, signInsOf } from './console-scene.ts';

const { api, browser } = await consoleScene();

const tenant = await aListeningTenant(api);
const { keyId, workspace } = tenant;
const { byWorkspace } = signInsOf(tenant);
const byOperator = { 'Operator token': operatorToken };

/** As long as an id may be, without a place to break. */
const longId = 'u'.repeat(1_000);
let organizationId: string;

beforeAll(async () => {
  organizationId = await anOrganization(tenant);
  await tenant.ok('/v2/organizations/documents/add', {
    organizationId,
    documents: [{ documentId: longId, documentName: 'Plan' }],
  });
  await tenant.ok('/v2/users/add', { organizationId, users: [{ userId: longId, name: 'Ada' }] });
});

async function open(path: string, credentials: Credentials = byWorkspace, width = 1280): Promise<Page> {
  const viewport = { width, height: 800 };
  const { page } = await openConsole(browser, `${api.url}/console${path}`, { viewport });
  await signIn(page, credentials);
  return page;
}

/** Holds calls of an operation until the returned function is called. */
async function hold(page: Page, operation: string): Promise<() => void> {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(`**${operation}`, async (route) => {
    await held;
    await route.continue();
  });
  return release;
}

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();

async function aNamedKey(apiKeyName: string) {
  const key = await aTenant(api, { workspace });
  await workspace.ok('/v2/workspace/apikey/update', { apiKey: key.apiKey, apiKeyName });
  return key;
}

browser.describe('a dialog that requires the name of a record', () => {
  it.each([
    ['workspace', byWorkspace],
    ['operator', byOperator],
  ] as const)('accepts the name as the page shows it, in a session of kind %s', async (kind, credentials) => {
    const key = await aNamedKey(` EU  prod\u200B of ${kind} \n`);
    const page = await open('/api-keys', credentials);
    await page
      .locator('tr')
      .filter({ hasText: key.keyId })
      .getByRole('button', { name: 'Disable …' })
      .click();
    const text = page.getByLabel(`of ${kind} to confirm`);
    const disable = page.getByRole('button', { name: 'Disable the key' });
    for (const wrong of ['', ' ', 'EU', `EU prod of ${kind} `]) {
      await text.fill(wrong);
      expect([wrong, await disable.isDisabled()]).toEqual([wrong, true]);
    }
    await text.fill(`EU prod of ${kind}`);
    await disable.click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await key.refused('/v2/organizations/get');
  });

  it('requires the id when the name shows nothing', async () => {
    const key = await aNamedKey(' \u200B');
    const page = await open('/api-keys');
    await page.locator('tr').filter({ hasText: key.keyId }).getByRole('button', { name: 'Delete …' }).click();
    expect(await page.getByRole('button', { name: 'Delete the key' }).isDisabled()).toBe(true);
    await page.getByLabel(`Type ${key.keyId} to confirm`).fill(key.keyId);
    await press(page, 'Delete the key');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await key.refused('/v2/organizations/get');
  });

  it('gives a key a name without white space around it', async () => {
    const key = await aNamedKey('Staging');
    const page = await open('/api-keys');
    await page.locator('tr').filter({ hasText: key.keyId }).getByRole('button', { name: 'Rename …' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill(' Production ');
    await press(page, 'Rename the key');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    const { data } = await workspace.ok<readonly object[]>('/v2/workspace/apikeys/get');
    expect(data).toContainEqual(expect.objectContaining({ id: key.apiKey, apiKeyName: 'Production' }));
  });
});

browser.describe('a dialog whose act returns a secret', () => {
  it('shows the secret before the page has refreshed its lists', async () => {
    const page = await open(`/api-keys?keyId=${keyId}`);
    await press(page, 'Add a token …');
    await page.getByLabel('Name').fill('Early');
    await page.getByLabel('organizations:read').check();
    const release = await hold(page, '/authtokens/list');
    await press(page, 'Add the token');
    await page.getByRole('heading', { name: 'The new token' }).waitFor();
    expect(await page.getByRole('cell', { name: 'Early' }).count()).toBe(0);
    release();
    await press(page, 'I have copied it');
    await page.getByRole('cell', { name: 'Early' }).waitFor();
  });

  it('stays open while the act runs', async () => {
    const endpointId = await anEndpoint(api, tenant, 'https://a.example.com/hook');
    const page = await open(`/api-keys?keyId=${keyId}`);
    await workspace.ok('/v2/workspace/apikey/update', { apiKey: tenant.apiKey, apiKeyName: 'Main' });
    await page.reload();
    const key = page.locator('tr').filter({ hasText: keyId });

    await press(page, 'Add a token …');
    await page.getByLabel('Name').fill('Kept');
    await page.getByLabel('organizations:read').check();
    await expectKept('Add the token', '/authtokens/add');

    await key.getByRole('button', { name: 'Rotate …' }).click();
    await page.getByLabel('Type Main to confirm').fill('Main');
    await expectKept('Rotate the token', '/authtoken/reset');

    await press(page, 'Create an API key …');
    await page.getByLabel('Name').fill('Second');
    await page.getByLabel('E-mail of the owner').fill('owner@example.com');
    await expectKept('Create the API key', '/apikey/create');

    await page.goto(`${api.url}/console/keys/${keyId}/webhooks`);
    await press(page, 'Create an endpoint …');
    await page.getByLabel('URL').fill('https://b.example.com/hook');
    await expectKept('Create the endpoint', '/endpoints/create');

    await page.goto(`${api.url}/console/keys/${keyId}/endpoint?endpointId=${endpointId}`);
    await press(page, 'Rotate the secret …');
    await expectKept('Rotate the secret', '/endpoints/secret/rotate');

    async function expectKept(action: string, operation: string): Promise<void> {
      const release = await hold(page, operation);
      await press(page, action);
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Working …' }).waitFor();
      await page.keyboard.press('Escape');
      await page.mouse.click(5, 5);
      expect(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true);
      release();
      await press(page, 'I have copied it');
      await dialog.waitFor({ state: 'hidden' });
    }
  });
});

browser.describe('a dialog and its page on a screen of 360 pixels', () => {
  /** Elements that end beyond the dialog or panel around them, and the pixels by which dialog and page scroll sideways. */
  const overflow = `(() => {
    const ends = (element) => element.getBoundingClientRect().right;
    const wide = [...document.querySelectorAll('.dialog, .panel')].flatMap((box) =>
      [...box.querySelectorAll(':not(.table *)')].filter((element) => ends(element) > ends(box)),
    );
    const scrolled = [document.documentElement, document.querySelector('.overlay')].map(
      ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth,
    );
    return { wide: wide.map(({ tagName, textContent }) => [tagName, textContent]), scrolled };
  })()`;
  const expectFits = async (page: Page, name: string): Promise<void> => {
    await page.getByRole('dialog').getByRole('heading', { name }).waitFor();
    expect({ name, ...(await page.evaluate<object>(overflow)) }).toEqual({
      name,
      wide: [],
      scrolled: [0, 0],
    });
  };

  it('break long ids', async () => {
    const search = new URLSearchParams({ organizationId, userId: longId, documentId: longId }).toString();
    const page = await open(`/keys/${keyId}/document?${search}&tab=migration`, byWorkspace, 360);
    await page.getByLabel('New document id').fill(longId.toUpperCase());
    await press(page, 'Migrate …');
    await expectFits(page, 'Migrate 1 document');

    // No worker runs here.
    await page.route('**/users/data/delete/status', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { readonly result: { readonly data: object } };
      const data = { ...body.result.data, status: 'completed' };
      await route.fulfill({ response, json: { ...body, result: { ...body.result, data } } });
    });
    await page.goto(`${api.url}/console/keys/${keyId}/user?${search}&tab=deletion`);
    await press(page, 'Start a dry run');
    await page.getByRole('button', { name: /^Delete \d+ records of 1 user …$/ }).click();
    await expectFits(page, 'records of 1 user');
  });

  it('break names and secrets', async () => {
    await workspace.ok('/v2/workspace/apikey/update', {
      apiKey: tenant.apiKey,
      apiKeyName: longId.slice(0, 200),
    });
    const page = await open(`/api-keys?keyId=${keyId}`, byWorkspace, 360);
    const key = page.locator('tr').filter({ hasText: keyId });
    for (const [opener, name] of [
      ['Rename …', 'Rename 1 API key'],
      ['Rotate …', 'Rotate the auth token'],
      ['Disable …', 'Disable 1 API key'],
      ['Delete …', 'Delete 1 API key'],
    ] as const) {
      await key.getByRole('button', { name: opener }).click();
      await expectFits(page, name);
      await press(page, 'Cancel');
    }
    await press(page, 'Create an API key …');
    await expectFits(page, 'Create an API key');
    await press(page, 'Cancel');
    await press(page, 'Add a token …');
    await page.getByLabel('organizations:read').waitFor();
    await expectFits(page, 'Add a token');
    await press(page, 'Cancel');

    await page.goto(`${api.url}/console/keys/${keyId}/webhooks`);
    await press(page, 'Create an endpoint …');
    await page.getByText('comment.add', { exact: true }).waitFor();
    await expectFits(page, 'Create an endpoint');
    await page.getByLabel('URL').fill(`https://c.example.com/${longId}`);
    await press(page, 'Create the endpoint');
    await expectFits(page, 'The signing secret of the endpoint');
    await press(page, 'I have copied it');
    await press(page, 'Test …');
    await expectFits(page, 'Send 1 test message');
    await press(page, 'Close');
    await press(page, 'Disable …');
    await expectFits(page, 'Disable 1 endpoint');
  });
});
