import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import { aTenant } from '../support/factories.ts';
import { openConsole, signIn } from './console-page.ts';
import { consoleScene, signInsOf } from './console-scene.ts';

const { api, browser } = await consoleScene();

const tenant = await aTenant(api);

const urlOf = (section: string): string =>
  `${api.url}/console/keys/${tenant.keyId}/settings?section=${section}`;

async function open(section: string): Promise<Page> {
  const { page } = await openConsole(browser, urlOf(section));
  await signIn(page, signInsOf(tenant).byKey);
  return page;
}

const save = (page: Page, changes = 'Save 1 change') => page.getByRole('button', { name: changes }).click();

const stored = async (name: string): Promise<unknown> =>
  (await tenant.ok(`/v2/workspace/${name}config/get`)).data;

const delayConfig = (delaySeconds: number) => ({
  useNotificationService: true,
  notificationServiceConfig: { delayConfig: { isEnabled: true, delaySeconds } },
});

const setDelay = (delaySeconds: number) =>
  tenant.ok('/v2/workspace/notificationconfig/update', delayConfig(delaySeconds));

async function openDelay() {
  const page = await open('notifications');
  return { page, delay: page.getByLabel('notificationServiceConfig › delayConfig › delaySeconds') };
}

browser.describe('a form of settings', () => {
  it('shows both values of a setting that was changed concurrently, and overwrites it only after a second confirmation', async () => {
    await setDelay(60);
    const { page, delay } = await openDelay();
    await delay.fill('90');
    await setDelay(120);
    await save(page);
    await page.getByText('Changed meanwhile to 120; yours is 90.').waitFor();
    expect(await stored('notification')).toMatchObject(delayConfig(120));
    await save(page);
    await page.getByText('Saved.').waitFor();
    expect(await stored('notification')).toMatchObject(delayConfig(90));
    await expect(delay.inputValue()).resolves.toBe('90');
  });

  it('sends a number that was cleared and retyped', async () => {
    await setDelay(30);
    const { page, delay } = await openDelay();
    await delay.press('End');
    for (let digit = 0; digit < 2; digit += 1) await delay.press('Backspace');
    await expect(delay.inputValue()).resolves.toBe('');
    await page.getByRole('button', { name: 'No changes' }).waitFor();
    await delay.pressSequentially('60');
    await save(page);
    await page.getByText('Saved.').waitFor();
    expect(await stored('notification')).toMatchObject(delayConfig(60));
  });

  it('keeps an edit when a refresh arrives, and shows saved values in a section that is opened again', async () => {
    await setDelay(30);
    const { page, delay } = await openDelay();
    await delay.fill('40');
    await save(page);
    await page.getByText('Saved.').waitFor();
    let arrive = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    await page.route('**/notificationconfig/get', async (request) => {
      await held;
      await request.continue();
    });
    await page.getByRole('link', { name: 'Domains' }).click();
    await page.getByRole('link', { name: 'Notifications', exact: true }).last().click();
    await expect(delay.inputValue()).resolves.toBe('40');
    await delay.fill('50');
    const refreshed = page.waitForResponse('**/notificationconfig/get');
    arrive();
    await refreshed;
    await save(page);
    await page.getByText('Saved.').waitFor();
    await expect(delay.inputValue()).resolves.toBe('50');
  });

  it('keeps what is edited while a save runs, and saves it next', async () => {
    await setDelay(30);
    const { page, delay } = await openDelay();
    let respond = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      respond = resolve;
    });
    await page.route(
      '**/notificationconfig/update',
      async (route) => {
        await held;
        await route.continue();
      },
      { times: 1 },
    );
    const sent = page.waitForRequest('**/notificationconfig/update');
    await delay.fill('40');
    await save(page);
    await sent;
    // Back to the value that is stored until the save ends.
    await delay.fill('30');
    await page.getByLabel('useNotificationService', { exact: true }).uncheck();
    respond();
    await page.getByRole('button', { name: 'Save 2 changes' }).waitFor();
    await expect(delay.inputValue()).resolves.toBe('30');
    expect(await stored('notification')).toMatchObject(delayConfig(40));
    await save(page, 'Save 2 changes');
    await page.getByText('Saved.').waitFor();
    const { notificationServiceConfig } = delayConfig(30);
    expect(await stored('notification')).toMatchObject({
      useNotificationService: false,
      notificationServiceConfig,
    });
  });

  it('shows a configuration that was saved although it cannot be read again', async () => {
    await setDelay(30);
    const { page, delay } = await openDelay();
    let updated = false;
    await page.route('**/notificationconfig/*', async (route) => {
      if (updated) return route.abort();
      updated = route.request().url().endsWith('/update');
      return route.continue();
    });
    await delay.fill('70');
    await save(page);
    await page.getByText('Saved.').waitFor();
    await expect(delay.inputValue()).resolves.toBe('70');
    expect(await stored('notification')).toMatchObject(delayConfig(70));
  });

  it('reports no conflict with its own update whose response was lost', async () => {
    await setDelay(30);
    await tenant.ok('/v2/workspace/notificationconfig/update', {
      notificationServiceConfig: { triggers: { huddle: { 'huddle.join': true } } },
    });
    const { page, delay } = await openDelay();
    await page.route(
      '**/notificationconfig/update',
      async (route: Route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await delay.fill('80');
    const huddle = page.getByLabel('notificationServiceConfig › triggers › huddle');
    await huddle.fill('{"huddle.create": false}');
    await save(page, 'Save 2 changes');
    await page.getByRole('alert').getByText('The API does not respond.').first().waitFor();
    await save(page, 'Save 2 changes');
    await page.getByText('Saved, but members that are left out').waitFor();
    await expect(delay.inputValue()).resolves.toBe('80');
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('discards a text that is not JSON, and saves nothing while there is one', async () => {
    const { page, delay } = await openDelay();
    const triggers = page.getByLabel('notificationServiceConfig › triggers › comment');
    const former = await triggers.inputValue();
    const state = await stored('notification');
    await delay.fill('999');
    await triggers.fill('{"comment.add": ');
    await page.getByText('Nothing can be saved while a field is not JSON.').waitFor();
    expect(await page.getByRole('button', { name: 'Save 2 changes' }).isDisabled()).toBe(true);
    await delay.press('Enter');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('button', { name: 'No changes' }).waitFor();
    await expect(triggers.inputValue()).resolves.toBe(former);
    expect(await stored('notification')).toEqual(state);
  });

  it('names the members of a map that an edit leaves out and the API keeps', async () => {
    await tenant.ok('/v2/workspace/notificationconfig/update', {
      notificationServiceConfig: { triggers: { huddle: { 'huddle.join': true, 'huddle.create': true } } },
    });
    const { page } = await openDelay();
    const huddle = page.getByLabel('notificationServiceConfig › triggers › huddle');
    await huddle.fill('{"huddle.create": true}');
    await save(page);
    await page.getByText('Saved, but members that are left out keep their value').waitFor();
    const kept = JSON.parse(await huddle.inputValue()) as Record<string, boolean>;
    expect(kept).toMatchObject({ 'huddle.join': true, 'huddle.create': true });
    await huddle.fill(JSON.stringify({ ...kept, 'huddle.join': false }));
    await save(page);
    await page.getByText('Saved.').waitFor();
  });

  it('stores a public key in PEM with its line breaks', async () => {
    const { publicKey: key } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const publicKey = key.export({ format: 'pem', type: 'spki' }).toString();
    const page = await open('webhooks');
    await page.getByLabel('isEnabled').check();
    await page.getByLabel('encryptData').check();
    await page.getByLabel('publicKey').fill(publicKey);
    await save(page, 'Save 3 changes');
    await page.getByText('Saved.').waitFor();
    expect(await stored('advancedwebhook')).toMatchObject({ encryptData: true, publicKey });
  });

  it('shows the warning about what is stored', async () => {
    const page = await open('permissions');
    const warning = page.getByRole('status').filter({ hasText: 'The permission provider is on without' });
    await page.getByLabel('usePermissionProvider').check();
    await save(page);
    await warning.waitFor();
    await page.reload();
    await warning.waitFor();
    await page.getByLabel('usePermissionProvider').uncheck();
    await save(page);
    await page.getByText('Saved.').waitFor();
    expect(await warning.count()).toBe(0);
  });

  it.each([
    ['email', 'email', 'emailServiceConfig', 'apiKey'],
    ['basic-webhooks', 'webhook', 'webhookServiceConfig', 'authToken'],
    ['permissions', 'permissionprovider', 'permissionProviderConfig', 'authToken'],
  ])('shows no secret of the section %s, and removes it', async (section, name, group, member) => {
    const update = (secret: string) =>
      tenant.ok(`/v2/workspace/${name}config/update`, { [group]: { [member]: secret } });
    await update('the-first-secret');
    const page = await open(section);
    const label = `${group} › ${member}`;
    const field = page.getByLabel(label, { exact: true });
    expect(await field.getAttribute('placeholder')).toBe('Stored');
    const content = await page.content();
    await update('the-second-secret');
    await page.getByRole('button', { name: `Remove ${label}` }).click();
    await save(page);
    await page.getByText('Changed meanwhile to another secret; yours is not set.').waitFor();
    for (const shown of [content, await page.content()]) expect(shown).not.toMatch(/the-\w+-secret/);
    await page.getByRole('button', { name: 'Discard' }).click();
    expect(await field.getAttribute('placeholder')).toBe('Stored');
    await page.getByRole('button', { name: `Remove ${label}` }).click();
    await page.getByRole('button', { name: `Keep ${label}` }).click();
    await page.getByRole('button', { name: 'No changes' }).waitFor();
    await page.getByRole('button', { name: `Remove ${label}` }).click();
    await save(page);
    await page.getByText('Saved.').waitFor();
    expect(await field.getAttribute('placeholder')).toBe('not set');
    expect(await stored(name)).toMatchObject({ [group]: { [member]: '' } });
  });

  it('removes the key of one AI provider, changes another, and keeps the third', async () => {
    const keys = ['openai', 'anthropic', 'gemini'].map((provider) => ({
      provider,
      customerApiKey: `${provider}-key`,
    }));
    await tenant.ok('/v2/workspace/apikeyconfig/update', { aiModelApiKey: keys });
    const page = await open('key');
    const fieldOf = (provider: string) => page.getByLabel(`aiModelApiKey › ${provider}`, { exact: true });
    const shownOf = (provider: string) => fieldOf(provider).getAttribute('placeholder');
    expect(await shownOf('openai')).toBe('open...xxxx');
    await page.getByLabel('enablePrivateComments').check();
    await page.getByRole('button', { name: 'Remove aiModelApiKey › openai' }).click();
    await fieldOf('anthropic').fill('claude-key');
    expect(await shownOf('gemini')).toBe('gemi...xxxx');
    await save(page, 'Save 3 changes');
    await page.getByText('Saved.').waitFor();
    expect(await stored('apikey')).toMatchObject({
      isPrivateCommentsEnabled: true,
      aiModelApiKey: [
        { provider: 'anthropic', customerApiKey: 'clau...xxxx' },
        { provider: 'gemini', customerApiKey: 'gemi...xxxx' },
      ],
    });
    expect(await page.getByLabel('enablePrivateComments').isChecked()).toBe(true);
    expect(await shownOf('openai')).toBe('not set');
    expect(await page.getByRole('button', { name: 'Remove aiModelApiKey › openai' }).count()).toBe(0);
  });
});
