import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { aTenant } from '../support/factories.ts';
import { isFocused, Keyboard } from './by-keyboard.ts';
import { openConsole, signIn } from './console-page.ts';
import { consoleScene } from './console-scene.ts';

const { api, browser } = await consoleScene();

const organizationId = 'acme';
const location = { organizationId, documentId: 'plan' };

/** A page of a tenant with 120 organizations, folders of two levels, a document with two editors, and a user. */
async function aPage(path: string) {
  const tenant = await aTenant(api);
  const others = Array.from({ length: 119 }, (_, number) => ({ organizationId: `other-${String(number)}` }));
  await tenant.ok('/v2/organizations/add', {
    organizations: [{ organizationId, organizationName: 'Acme' }, ...others],
  });
  await tenant.ok('/v2/organizations/folders/add', {
    organizationId,
    folders: [{ folderId: 'drafts', folderName: 'Drafts' }],
  });
  await tenant.ok('/v2/organizations/folders/add', {
    organizationId,
    folders: [{ folderId: 'old', folderName: 'Old drafts', parentFolderId: 'drafts' }],
  });
  await tenant.ok('/v2/organizations/documents/add', {
    organizationId,
    folderId: 'old',
    documents: [{ documentId: 'plan', documentName: 'Plan' }],
  });
  await tenant.ok('/v2/users/add', { organizationId, users: [{ userId: 'ada', name: 'Ada Lovelace' }] });
  for (const editorId of ['body', 'title'])
    await tenant.ok('/v2/crdt/add', { ...location, editorId, type: 'text', data: `Text of ${editorId}` });
  const { page } = await openConsole(browser, `${api.url}/console/keys/${tenant.keyId}${path}`);
  await signIn(page, { 'API key': tenant.apiKey, 'Auth token': tenant.authToken });
  return { tenant, page, keyboard: new Keyboard(page) };
}

browser.describe('by keyboard alone, one', () => {
  it('pages through organizations and searches them, with the focus where it was', async () => {
    const { page, keyboard } = await aPage('/organizations');
    await keyboard.press(keyboard.button('Next'));
    await page.waitForURL(/pageToken=/);
    await keyboard.press(keyboard.button('Next'), 'Space');
    await eventually(async () => expect(await page.getByRole('row').count()).toBe(21));
    await keyboard.press(keyboard.button('Previous'));
    await eventually(async () => expect(await page.getByRole('row').count()).toBe(51));
    await keyboard.press(keyboard.button('First page'));
    await page.waitForURL((url) => !url.search.includes('pageToken'));
    const field = page.getByLabel('Id or name begins with');
    await keyboard.fill('Id or name begins with', 'acm');
    await page.keyboard.press('Enter');
    await page.waitForURL(/find=acm/);
    await keyboard.link('Acme').waitFor();
    expect(await field.evaluate(isFocused)).toBe(true);
    await keyboard.press(keyboard.button('Clear'));
    await page.waitForURL((url) => !url.search.includes('find'));
    await eventually(async () => expect(await field.inputValue()).toBe(''));
  });

  it('opens folders level by level, a document, and each of its parts', async () => {
    const { page, keyboard } = await aPage('/organizations?find=acme');
    await keyboard.press(keyboard.link('Acme'));
    await keyboard.press(keyboard.button('Subfolders of Drafts'), 'Space');
    await keyboard.press(keyboard.button('Subfolders of Old drafts'));
    await page.getByText('No folders.').waitFor();
    await keyboard.press(keyboard.button('Subfolders of Old drafts'));
    await keyboard.press(keyboard.link('Old drafts'));
    await keyboard.press(keyboard.link('Plan'));
    await keyboard.fill('User id', 'ada');
    await page.keyboard.press('Enter');
    await page.getByText('Steps, from the document upward').waitFor();
    for (const [title, shown] of [
      ['Threads', 'No threads.'],
      ['Activity log', 'No activity logs.'],
      ['Notifications', 'No notifications.'],
      ['Webhook events', 'Webhooks of this API key are off.'],
    ] as const) {
      await keyboard.press(keyboard.link(title, page.getByRole('navigation', { name: 'Document sections' })));
      await page.getByText(shown).waitFor();
    }
    await keyboard.press(keyboard.link('Collaborative data'));
    await page.getByRole('row', { name: /title.*text.*15 bytes.*1/ }).waitFor();
    await keyboard.press(keyboard.link('title'));
    await page.getByText('Text of title').waitFor();
    await keyboard.press(keyboard.link('Migration'));
    await keyboard.fill('New document id', 'plan-2027');
    await keyboard.inDialog(
      keyboard.button('Migrate …'),
      async () => {
        await keyboard.fill('Type plan-2027 to confirm', 'plan-2027');
        await page.keyboard.press('Enter');
      },
      { leaves: true },
    );
    await keyboard.press(keyboard.link('Open the job'));
    await page.getByRole('heading', { name: 'Document migration', level: 1 }).waitFor();
  });

  it('finds a user, opens the parts of the page, exports the data, and starts a dry run', async () => {
    const { page, keyboard, tenant } = await aPage('/users');
    await keyboard.fill('Id, e-mail or name begins with', 'ada');
    await keyboard.press(keyboard.button('Search all organizations'));
    await keyboard.link('Ada Lovelace').waitFor();
    await keyboard.fill('Organization id', organizationId);
    await keyboard.fill('Name or e-mail contains', 'love');
    await page.keyboard.press('Enter');
    await page.waitForURL(/find=love/);
    await keyboard.press(keyboard.link('Ada Lovelace'));
    for (const title of ['Notification preferences', 'Memberships and access', 'Export'])
      await keyboard.press(keyboard.link(title));
    const downloading = page.waitForEvent('download');
    await keyboard.press(keyboard.button('Export'), 'Space');
    expect(await readFile(await (await downloading).path(), 'utf8')).toContain('Ada Lovelace');
    await keyboard.press(keyboard.link('Deletion'));
    await keyboard.press(keyboard.button('Start a dry run'));
    await page.getByRole('region', { name: 'Result of the dry run' }).waitFor();
    const { data } = await tenant.ok<readonly { readonly kind: string }[]>('/v2/jobs/list', {
      kind: 'user-data-deletion',
    });
    expect(data).toHaveLength(1);
    await keyboard.press(keyboard.link('Users', page.locator('#content')));
    await keyboard.fill('User id', 'grace');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'grace', level: 1 }).waitFor();
  });

  it('adds and removes a domain', async () => {
    const { page, keyboard } = await aPage('/settings');
    await keyboard.press(keyboard.link('Domains'));
    await keyboard.fill('Domain', 'example.com');
    await page.keyboard.press('Enter');
    const row = page.getByRole('row').filter({ hasText: 'example.com' });
    await row.waitFor();
    await keyboard.inDialog(
      keyboard.button('Remove …', row),
      async () => {
        await keyboard.fill('Type example.com to confirm', 'example.com');
        await keyboard.press(keyboard.button('Remove the domain'));
      },
      { leaves: true },
    );
    await row.waitFor({ state: 'detached' });
  });

  it('changes switches, numbers, choices, JSON and secrets of the settings, discards and saves them', async () => {
    const { page, keyboard, tenant } = await aPage('/settings');
    await keyboard.press(keyboard.link('Notifications', page.getByRole('navigation', { name: 'Settings' })));
    const seconds = 'notificationServiceConfig › delayConfig › delaySeconds';
    await keyboard.press(page.getByLabel('useNotificationService', { exact: true }), 'Space');
    await keyboard.fill(seconds, '90');
    await keyboard.press(keyboard.button('Discard'));
    expect(await page.getByLabel(seconds).inputValue()).toBe('10');
    await keyboard.press(page.getByLabel('useNotificationService', { exact: true }), 'Space');
    await keyboard.fill(seconds, '90');
    await keyboard.fill('notificationServiceConfig › triggers › huddle', '{"huddle.create": false}');
    await keyboard.press(keyboard.button('Save 3 changes'));
    await page.getByText('Saved, but members that are left out keep their value').waitFor();
    expect((await tenant.ok('/v2/workspace/notificationconfig/get')).data).toMatchObject({
      useNotificationService: true,
      notificationServiceConfig: {
        delayConfig: { delaySeconds: 90 },
        triggers: { huddle: { 'huddle.create': false } },
      },
    });
    await keyboard.press(keyboard.link('Access and AI'));
    await keyboard.choose('defaultDocumentAccessType', 'restricted');
    await keyboard.fill('aiModelApiKey › openai', 'sk-by-keyboard');
    await keyboard.press(keyboard.button('Save 2 changes'));
    await page.getByText('Saved.').waitFor();
    expect((await tenant.ok('/v2/workspace/apikeyconfig/get')).data).toMatchObject({
      defaultDocumentAccessType: 'restricted',
    });
    expect(await page.content()).not.toContain('sk-by-keyboard');
  });
});
