import { readFile } from 'node:fs/promises';
import { afterAll, expect, it } from '@jest/globals';
import { startTestBrowser } from '../support/browser.ts';
import { aClient } from '../support/client.ts';
import { Keyboard } from './by-keyboard.ts';
import { openConsole } from './console-page.ts';
import { aStack } from './stack.ts';

const [stack, browser] = await Promise.all([aStack(), startTestBrowser()]);
afterAll(async () => {
  await browser.close();
  await stack.close();
});

browser.describe('by keyboard alone, one', () => {
  it('deletes the data of a user after a dry run, and downloads the receipt', async () => {
    const { baseUrl, apiKey, authToken } = stack.demo;
    const client = aClient(baseUrl, { 'x-svc-api-key': apiKey, 'x-svc-auth-token': authToken });
    const organizationId = 'acme';
    await client.ok('/v2/organizations/add', { organizations: [{ organizationId }] });
    await client.ok('/v2/users/add', { organizationId, users: [{ userId: 'ada' }] });
    const { page, faults } = await openConsole(browser, stack.link);
    const keyboard = new Keyboard(page);
    await keyboard.press(keyboard.link('Users'));
    await keyboard.fill('User id', 'ada');
    await page.keyboard.press('Enter');
    await keyboard.press(keyboard.link('Deletion'));
    await keyboard.press(keyboard.button('Start a dry run'), 'Space');
    await keyboard.inDialog(
      page.getByRole('button', { name: /^Delete \d+ records of 1 user …$/ }),
      async (dialog) => {
        await keyboard.fill('Type ada to confirm', 'ada');
        await keyboard.press(dialog.getByRole('button', { name: /^Delete \d+ records$/ }));
      },
      { leaves: true },
    );
    await page.getByText('Verified in this browser').waitFor({ timeout: 600_000 });
    const downloading = page.waitForEvent('download');
    await keyboard.press(keyboard.button('Download the receipt'));
    expect(await readFile(await (await downloading).path(), 'utf8')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect((await client.ok('/v2/users/get', { organizationId, userIds: ['ada'] })).data).toEqual([]);
    expect(faults).toEqual([]);
  });
});
