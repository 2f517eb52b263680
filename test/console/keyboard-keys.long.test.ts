import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { operatorToken } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { aTenant } from '../support/factories.ts';
import { Keyboard } from './by-keyboard.ts';
import { openConsole, signIn, type Credentials } from './console-page.ts';
import { consoleScene, signInsOf } from './console-scene.ts';

const { api, browser } = await consoleScene();

const tenant = await aTenant(api);
const { workspace } = tenant;
const { byWorkspace } = signInsOf(tenant);

const options = { permissions: ['clipboard-write'] };

async function open(path: string, credentials: Credentials = byWorkspace): Promise<Keyboard> {
  const { page } = await openConsole(browser, `${api.url}/console${path}`, options);
  await signIn(page, credentials);
  return new Keyboard(page);
}

async function aNamedKey(name: string) {
  const key = await aTenant(api, { workspace });
  await workspace.ok('/v2/workspace/apikey/update', { apiKey: key.apiKey, apiKeyName: name });
  return key;
}

browser.describe('by keyboard alone, one', () => {
  it('signs in with each kind of credentials, changes the theme, and signs out', async () => {
    const { page } = await openConsole(browser, `${api.url}/console`, options);
    const keyboard = new Keyboard(page);
    const ways: readonly (readonly [string, Credentials])[] = [
      ['workspace', byWorkspace],
      ['key', { 'API key': tenant.apiKey, 'Auth token': tenant.authToken }],
      ['operator', { 'Operator token': operatorToken }],
    ];
    for (const [way, credentials] of ways) {
      await keyboard.choose('Sign in with', way);
      for (const [label, value] of Object.entries(credentials)) await keyboard.fill(label, value);
      await page.keyboard.press('Enter');
      await page.locator('#content').waitFor();
      await keyboard.press(keyboard.link('Skip to content'));
      await eventually(() => page.evaluate<boolean>(`document.activeElement.id === 'content'`));
      await keyboard.choose('Theme', 'dark');
      expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
      await keyboard.choose('Theme', 'system');
      await keyboard.press(keyboard.button('Sign out'), 'Space');
      await page.getByRole('heading', { name: 'Sign in to Steward' }).waitFor();
    }
  });

  it('moves through the navigation, changes the API key, and opens the menu of a narrow screen', async () => {
    const other = await aNamedKey('Other');
    const keyboard = await open(`/keys/${tenant.keyId}/overview`);
    const { page } = keyboard;
    for (const title of ['Organizations', 'Users', 'Webhooks', 'Jobs', 'Notifications', 'Settings']) {
      await keyboard.press(keyboard.link(title));
      await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    }
    await keyboard.choose('API key', other.keyId);
    await page.waitForURL(new RegExp(other.keyId));
    await page.setViewportSize({ width: 390, height: 844 });
    await keyboard.press(keyboard.button('Open the menu'));
    await keyboard.press(keyboard.link('Audit log'));
    await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();
  });

  it('creates, renames, rotates, disables, enables and deletes an API key', async () => {
    const keyboard = await open('/api-keys');
    const { page } = keyboard;
    await keyboard.inDialog(
      keyboard.button('Create an API key …'),
      async () => {
        await keyboard.fill('Name', 'Mobile');
        await keyboard.fill('E-mail of the owner', 'owner@example.com');
        await keyboard.choose('Type', 'production');
        await keyboard.press(keyboard.button('Create the API key'));
      },
      { keep: true },
    );
    const mobile = page.getByRole('row').filter({ hasText: 'Mobile' });
    await mobile.getByText('production').waitFor();
    await keyboard.inDialog(
      keyboard.button('Rename …', mobile),
      async () => {
        await keyboard.fill('Name', 'Tablet');
        await page.keyboard.press('Enter');
      },
      { leaves: true },
    );
    const row = page.getByRole('row').filter({ hasText: 'Tablet' });
    await keyboard.inDialog(
      keyboard.button('Rotate …', row),
      async () => {
        await keyboard.fill('Overlap in seconds', '60');
        await keyboard.fill('Type Tablet to confirm', 'Tablet');
        await keyboard.press(keyboard.button('Rotate the token'));
      },
      { keep: true },
    );
    await keyboard.inDialog(
      keyboard.button('Disable …', row),
      async () => {
        await keyboard.fill('Type Tablet to confirm', 'Tablet');
        await keyboard.press(keyboard.button('Disable the key'));
      },
      { leaves: true },
    );
    await row.getByText('Disabled').waitFor();
    await keyboard.inDialog(
      keyboard.button('Enable …', row),
      async () => keyboard.press(keyboard.button('Enable the key'), 'Space'),
      { leaves: true },
    );
    await row.getByText('Enabled').waitFor();
    await keyboard.inDialog(
      keyboard.button('Delete …', row),
      async () => {
        await keyboard.fill('Type Tablet to confirm', 'Tablet');
        await keyboard.press(keyboard.button('Delete the key'));
      },
      { leaves: true },
    );
    await row.waitFor({ state: 'detached' });
  });

  it('adds a scoped token and revokes it', async () => {
    const key = await aNamedKey('Scoped');
    const keyboard = await open('/api-keys');
    const { page } = keyboard;
    const row = page.getByRole('row').filter({ hasText: 'Scoped' });
    await keyboard.press(keyboard.button(`Copy ${key.keyId}`, row));
    await keyboard.press(keyboard.link('Tokens', row));
    await keyboard.inDialog(
      keyboard.button('Add a token …'),
      async () => {
        await keyboard.fill('Name', 'Nightly');
        await keyboard.press(page.getByLabel('organizations:read'), 'Space');
        await keyboard.press(keyboard.button('Add the token'));
      },
      { keep: true },
    );
    const token = page.getByRole('row').filter({ hasText: 'Nightly' });
    await token.getByText('organizations:read').waitFor();
    await keyboard.inDialog(
      keyboard.button('Revoke …', token),
      async () => {
        await keyboard.fill('Type Nightly to confirm', 'Nightly');
        await keyboard.press(keyboard.button('Revoke the token'));
      },
      { leaves: true },
    );
    await token.getByText('Ended').waitFor();
    expect(await token.getByRole('button', { name: 'Revoke …' }).count()).toBe(0);
  });

  it('revokes a session', async () => {
    const lost = await openConsole(browser, `${api.url}/console`, { userAgent: 'The lost laptop' });
    await signIn(lost.page, byWorkspace);
    const keyboard = await open('/open-sessions');
    const row = keyboard.page.getByRole('row', { name: /The lost laptop/ });
    await keyboard.inDialog(
      keyboard.button('Revoke …', row),
      async () => keyboard.press(keyboard.button('Revoke the session')),
      { leaves: true },
    );
    await row.waitFor({ state: 'detached' });
    await lost.page.reload();
    await lost.page.getByRole('heading', { name: 'Sign in to Steward' }).waitFor();
  });

  it('filters the audit log, compares before and after, and exports it', async () => {
    await aNamedKey('Audited');
    const keyboard = await open('/audit-log');
    const { page } = keyboard;
    await keyboard.choose('Kind of actor', 'workspace');
    await page.waitForURL(/actorKind=workspace/);
    await keyboard.choose('Outcome', 'succeeded');
    await page.waitForURL(/outcome=succeeded/);
    await keyboard.fill('Action', 'key.update');
    await page.keyboard.press('Enter');
    await page.waitForURL(/action=key\.update/);
    await keyboard.reach(page.getByLabel('From', { exact: true }));
    await page.keyboard.type('01012026');
    await page.keyboard.press('Tab');
    await page.keyboard.type('0101AM');
    await keyboard.press(keyboard.button('Filter'));
    await page.waitForURL(/from=\d+/);
    await keyboard.press(page.locator('summary').first(), 'Space');
    await page.getByLabel('After').first().waitFor();
    const downloading = page.waitForEvent('download');
    await keyboard.press(keyboard.button('Export as CSV'), 'Space');
    const csv = await readFile(await (await downloading).path(), 'utf8');
    expect(csv).toContain('key.update');
  });

  it('disables and enables a key as an operator, and retries a failed job', async () => {
    const key = await aNamedKey('Operated');
    await key.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    const failed = await eventually(async () => {
      const [job] = await api.database.sql<{ public_id: string }>(
        `update job set status = 3, error = 'refused', started_at = now(), ended_at = now()
           where api_key_id = $1 returning public_id`,
        [key.id],
      );
      return job?.public_id ?? false;
    });
    const keyboard = await open(`/keys/${key.keyId}/job?jobId=${failed}`, {
      'Operator token': operatorToken,
    });
    const { page } = keyboard;
    await keyboard.inDialog(
      keyboard.button('Retry the job …'),
      async () => keyboard.press(keyboard.button('Retry the job')),
      { leaves: true },
    );
    await page.getByText('pending').first().waitFor();
    await keyboard.press(keyboard.link('API keys'));
    const row = page.getByRole('row').filter({ hasText: 'Operated' });
    await keyboard.inDialog(
      keyboard.button('Disable …', row),
      async () => {
        await keyboard.fill('Type Operated to confirm', 'Operated');
        await keyboard.press(keyboard.button('Disable the key'));
      },
      { leaves: true },
    );
    await row.getByText('Disabled').waitFor();
    await keyboard.inDialog(
      keyboard.button('Enable …', row),
      async () => keyboard.press(keyboard.button('Enable the key')),
      { leaves: true },
    );
    await row.getByText('Enabled').waitFor();
  });
});
