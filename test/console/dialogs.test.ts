import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { operatorToken } from '../support/environment.ts';
import { aTenant } from '../support/factories.ts';
import { anEndpoint, aListeningTenant } from '../support/webhooks.ts';
import { openConsole, signIn, type Credentials } from './console-page.ts';
import { consoleScene, signInsOf } from './console-scene.ts';

const { api, browser } = await consoleScene();

const tenant = await aListeningTenant(api);
const { keyId, workspace } = tenant;
const { byWorkspace } = signInsOf(tenant);
const byOperator = { 'Operator token': operatorToken };

async function open(path: string, credentials: Credentials = byWorkspace): Promise<Page> {
  const { page } = await openConsole(browser, `${api.url}/console${path}`);
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
