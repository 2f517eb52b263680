import { afterAll, expect, it } from '@jest/globals';
import { startTestApi } from '../support/api.ts';
import { startTestBrowser } from '../support/browser.ts';
import { buildServedConsole } from '../support/built-console.ts';
import { eventually } from '../support/eventually.ts';
import { aReceiver, responding } from '../support/receiver.ts';
import { Keyboard } from './by-keyboard.ts';
import { openConsole, signIn } from './console-page.ts';
import { furnished } from './furnished.ts';

const [api, browser, receiver] = await Promise.all([
  startTestApi({ environment: { STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' } }),
  startTestBrowser(),
  aReceiver(),
  buildServedConsole(),
]);
afterAll(async () => {
  await browser.close();
  await api.close();
  await receiver.close();
});

/** A tenant with an endpoint that has one pending message after a failed attempt, and a pending migration. */
async function furnishedPage(path: string) {
  const records = await furnished(api, receiver, 'Quarterly plan');
  const { tenant, endpointId } = records;
  const { page } = await openConsole(browser, `${api.url}/console/keys/${tenant.keyId}${path}`, {
    permissions: ['clipboard-write'],
  });
  await signIn(page, { 'API key': tenant.apiKey, 'Auth token': tenant.authToken });
  return { ...records, endpoint: `/endpoint?endpointId=${endpointId}`, page, keyboard: new Keyboard(page) };
}

browser.describe('by keyboard alone, one', () => {
  it('creates a webhook endpoint for one event type, opens the event catalog, and deletes the endpoint', async () => {
    const { page, keyboard } = await furnishedPage('/webhooks');
    await keyboard.inDialog(
      keyboard.button('Create an endpoint …'),
      async () => {
        await keyboard.fill('URL', receiver.url);
        await keyboard.fill('Description', 'By keyboard');
        await keyboard.press(page.getByLabel('comment.add'), 'Space');
        await keyboard.press(keyboard.button('Create the endpoint'));
      },
      { keep: true, leaves: true },
    );
    await page.getByText('comment.add, By keyboard').waitFor();
    await keyboard.press(keyboard.link('Webhooks', page.locator('#content')));
    await keyboard.press(keyboard.link('Event catalog'));
    await keyboard.press(page.locator('summary').first());
    await page
      .getByRole('region', { name: /^Event type / })
      .first()
      .waitFor();
    await keyboard.press(keyboard.link('Endpoints'));
    await keyboard.press(keyboard.link(receiver.url));
    await keyboard.inDialog(
      keyboard.button('Delete …'),
      async () => {
        await keyboard.fill(`Type ${receiver.url} to confirm`, receiver.url);
        await keyboard.press(keyboard.button('Delete the endpoint'));
      },
      { leaves: true },
    );
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    await page.getByRole('link', { name: receiver.url, exact: true }).waitFor({ state: 'detached' });
  });

  it('tests, recovers, changes, rotates, disables and enables an endpoint', async () => {
    const { page, keyboard, endpointId, tenant } = await furnishedPage('/webhooks');
    await keyboard.press(page.locator(`a[href*="${endpointId}"]`).first());
    receiver.behave(responding(200, {}, 'thanks'));
    await keyboard.inDialog(keyboard.button('Test …'), async (dialog) => {
      await keyboard.press(keyboard.button('Send the test message'));
      await dialog.getByText('thanks').waitFor();
      await keyboard.press(keyboard.button('Close'));
    });
    await keyboard.inDialog(keyboard.button('Recover …'), async (dialog) => {
      await keyboard.fill('Hours', '2');
      await keyboard.press(keyboard.button('Recover'));
      await dialog.getByRole('status').waitFor();
      await keyboard.press(keyboard.button('Cancel'));
    });
    await keyboard.inDialog(keyboard.button('Change the URL …'), async () => {
      await keyboard.fill('URL', `${receiver.url}/changed`);
      await page.keyboard.press('Enter');
    });
    await page.getByRole('heading', { name: /changed$/, level: 1 }).waitFor();
    await keyboard.inDialog(
      keyboard.button('Rotate the secret …'),
      async () => keyboard.press(keyboard.button('Rotate the secret')),
      { keep: true },
    );
    await keyboard.inDialog(
      keyboard.button('Disable …'),
      async (dialog) => {
        await dialog.getByText('Events from now until it is enabled are never sent to it.').waitFor();
        await keyboard.fill(`Type ${receiver.url}/changed to confirm`, `${receiver.url}/changed`);
        await keyboard.press(keyboard.button('Disable the endpoint'));
      },
      { leaves: true },
    );
    await page.getByText('Disabled').first().waitFor();
    await keyboard.inDialog(
      keyboard.button('Enable …'),
      async () => keyboard.press(keyboard.button('Enable the endpoint'), 'Space'),
      { leaves: true },
    );
    await keyboard.button('Disable …').waitFor();
    const { data } = await tenant.ok<{
      endpoints: readonly { id: string; url: string; disabled: boolean }[];
    }>('/v2/workspace/advancedwebhook/endpoints/get');
    expect(data.endpoints.find(({ id }) => id === endpointId)).toMatchObject({
      url: `${receiver.url}/changed`,
      disabled: false,
    });
  });

  it('filters messages by status, type, channel and time, and resends one', async () => {
    const { page, keyboard, endpoint, endpointId, messageId, tenant } = await furnishedPage('/webhooks');
    await keyboard.press(page.locator(`a[href*="${endpointId}"]`).first());
    const message = keyboard.link(messageId);
    await keyboard.choose('Status', 'succeeded');
    await page.getByText('No messages match.').waitFor();
    await keyboard.choose('Status', 'pending');
    await message.waitFor();
    await keyboard.choose('Event type', 'comment.add');
    await page.waitForURL(/eventType=comment\.add/);
    await message.waitFor();
    await keyboard.fill('Organization or document id', 'unknown');
    await page.keyboard.press('Enter');
    await page.getByText('No messages match.').waitFor();
    await keyboard.fill('Organization or document id', ' ');
    await page.keyboard.press('Backspace');
    await keyboard.reach(page.getByLabel('Until', { exact: true }));
    await page.keyboard.type('01012020');
    await page.keyboard.press('Tab');
    await page.keyboard.type('0101AM');
    await keyboard.press(keyboard.button('Filter'));
    await page.waitForURL(/until=\d+/);
    await page.getByText('No messages match.').waitFor();
    await page.goto(`${api.url}/console/keys/${tenant.keyId}${endpoint}`);
    await keyboard.press(message);
    await keyboard.reach(page.getByRole('region', { name: 'Payload' }));
    const before = await attemptsOf(endpointId, messageId);
    await keyboard.inDialog(keyboard.button('Resend …'), async () =>
      keyboard.press(keyboard.button('Resend the message')),
    );
    expect(before).toBe(1);

    /** Rows of the table of attempts. */
    async function attemptsOf(...ids: readonly string[]): Promise<number> {
      expect(ids).not.toContain('');
      await page.getByRole('table', { name: 'Attempts' }).waitFor();
      return (await page.getByRole('table', { name: 'Attempts' }).getByRole('row').count()) - 1;
    }
  });

  it('opens the jobs of the overview, filters them, and cancels one', async () => {
    const { page, keyboard, jobId } = await furnishedPage('/overview');
    await keyboard.press(page.getByText('As a table'));
    await page.getByRole('columnheader', { name: 'Hour' }).waitFor();
    await keyboard.press(keyboard.link('Pending jobs'));
    await page.waitForURL(/status=pending/);
    await keyboard.choose('Kind', 'document-migration');
    await page.waitForURL(/kind=document-migration/);
    await keyboard.press(keyboard.link(jobId));
    await keyboard.inDialog(
      keyboard.button('Cancel the job …'),
      async () => keyboard.press(keyboard.button('Cancel the job')),
      { leaves: true },
    );
    await eventually(async () => expect(await page.getByText('failed').count()).toBeGreaterThan(0));
    await keyboard.button('Cancel the job …').waitFor({ state: 'detached' });
  });

  it('opens the details of a delivery and its explanation, and the preferences of its recipient', async () => {
    const { page, keyboard } = await furnishedPage('/notifications');
    await keyboard.fill('Organization id', 'acme');
    await page.keyboard.press('Enter');
    await keyboard.choose('Channel', 'email');
    await page.waitForURL(/channel=email/);
    await keyboard.press(page.locator('summary').first(), 'Space');
    await keyboard.press(keyboard.link('moved'));
    await page.getByRole('heading', { name: 'E-mail', level: 2 }).waitFor();
    await keyboard.fill('User id', 'ben');
    await keyboard.press(keyboard.button('Explain'), 'Space');
    await page.waitForURL(/userId=ben/);
    await keyboard.press(keyboard.link('Deliveries'));
    await keyboard.fill('Recipient’s id', 'ada');
    await page.keyboard.press('Enter');
    await page.waitForURL(/userId=ada/);
    await keyboard.press(keyboard.link('ada'));
    await page.waitForURL(/tab=preferences/);
    await page.getByRole('table', { name: 'Notification preferences' }).waitFor();
  });
});
