import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { operatorToken } from '../support/environment.ts';
import { aTenant } from '../support/factories.ts';
import { openConsole, signIn, type Credentials } from './console-page.ts';
import { consoleScene, signInsOf } from './console-scene.ts';

const { api, browser } = await consoleScene();

const tenant = await aTenant(api);
const { workspace } = tenant;
const { byWorkspace } = signInsOf(tenant);
const byOperator = { 'Operator token': operatorToken };

async function open(path: string, credentials: Credentials = byWorkspace): Promise<Page> {
  const { page } = await openConsole(browser, `${api.url}/console${path}`);
  await signIn(page, credentials);
  return page;
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
