import { expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { operatorToken } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { anOperator, aTenant } from '../support/factories.ts';
import { aListeningTenant, anEndpoint } from '../support/webhooks.ts';
import { openConsole, signIn, type Credentials } from './console-page.ts';
import { consoleScene } from './console-scene.ts';

const { api, browser } = await consoleScene();

const operator = anOperator(api);

async function open(path: string, credentials: Credentials): Promise<Page> {
  const { page } = await openConsole(browser, `${api.url}/console${path}`);
  await signIn(page, credentials);
  return page;
}

/** Waits until a refresh shows an element, as after a return to the tab. */
const refreshed = async (page: Page, shown: Locator): Promise<void> => {
  await eventually(async () => {
    await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`);
    return shown.isVisible();
  });
};

const endpointsPath = '/v2/workspace/advancedwebhook/endpoints';

async function anEndpointPage() {
  const tenant = await aListeningTenant(api);
  const endpointId = await anEndpoint(api, tenant, 'https://a.example.com/hook');
  const credentials = { 'API key': tenant.apiKey, 'Auth token': tenant.authToken };
  const page = await open(`/keys/${tenant.keyId}/endpoint?endpointId=${endpointId}`, credentials);
  const update = async (change: object) => tenant.ok(`${endpointsPath}/update`, { endpointId, ...change });
  const stored = async () => {
    const { data } = await tenant.ok<{ endpoints: object[] }>(`${endpointsPath}/get`);
    return data.endpoints[0];
  };
  return { page, update, stored };
}

browser.describe('an open dialog, when its subject is changed meanwhile,', () => {
  it.each(['workspace', 'operator'] as const)(
    'still disables an API key that was disabled, for a session of kind %s',
    async (kind) => {
      const { workspace, apiKey, keyId } = await aTenant(api);
      await workspace.ok('/v2/workspace/apikey/update', { apiKey, apiKeyName: `Named by ${kind}` });
      const { workspaceId, authToken } = workspace;
      const page = await open(
        '/api-keys',
        kind === 'operator'
          ? { 'Operator token': operatorToken }
          : { 'Workspace id': workspaceId, 'Auth token': authToken },
      );
      const row = page.locator('tr').filter({ hasText: `Named by ${kind}` });
      await row.getByRole('button', { name: 'Disable …' }).click();
      await operator.ok('/v2/operator/keys/disable', { keyId });
      await refreshed(page, row.getByText('Disabled'));
      await page.getByRole('dialog').getByRole('heading', { name: 'Disable 1 API key' }).waitFor();
      await page.getByLabel(`Type Named by ${kind} to confirm`).fill(`Named by ${kind}`);
      await page.getByRole('button', { name: 'Disable the key' }).click();
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await row.getByText('Disabled').waitFor();
      const key = { keyId, disabledAt: expect.any(Number) };
      expect((await operator.ok('/v2/operator/keys/list')).data).toContainEqual(expect.objectContaining(key));
    },
  );

  it('still disables an endpoint that was disabled', async () => {
    const { page, update, stored } = await anEndpointPage();
    await page.getByRole('button', { name: 'Disable …' }).click();
    await update({ disabled: true });
    await refreshed(page, page.locator('.heading-facts').getByText('Disabled'));
    await page.getByLabel('Type https://a.example.com/hook to confirm').fill('https://a.example.com/hook');
    await page.getByRole('button', { name: 'Disable the endpoint' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await stored()).toMatchObject({ disabled: true });
  });

  it('still requires the URL that an endpoint had, and compares a new one with it', async () => {
    const { page, update, stored } = await anEndpointPage();
    await page.getByRole('button', { name: 'Change the URL …' }).click();
    await update({ url: 'https://b.example.com/hook' });
    await refreshed(page, page.locator('h1').getByText('https://b.example.com/hook'));
    const save = page.getByRole('button', { name: 'Save' });
    expect(await save.isDisabled()).toBe(true);
    await page.getByRole('textbox', { name: 'URL' }).fill('https://c.example.com/hook');
    await save.click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await stored()).toMatchObject({ url: 'https://c.example.com/hook' });
  });
});
