import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { receipts, type Jwks } from '../../packages/client/source/steward.ts';
import { startTestBrowser } from '../support/browser.ts';
import { aClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { aReceiver, responding } from '../support/receiver.ts';
import { openConsole } from './console-page.ts';
import { aStack } from './stack.ts';

/* Tasks of an operator in the console, in a browser against `npm start`, with a receiver of webhooks. */

const [stack, browser, receiver] = await Promise.all([
  // Two attempts, so that a message fails after seconds.
  aStack({ STEWARD_WEBHOOK_RETRY_SCHEDULE: '0s,1s' }),
  startTestBrowser(),
  aReceiver(),
]);
afterAll(async () => {
  await browser.close();
  await stack.close();
  await receiver.close();
});

const { demo } = stack;
const client = aClient(demo.baseUrl, { 'x-svc-api-key': demo.apiKey, 'x-svc-auth-token': demo.authToken });
const organizationId = 'acme';
const location = { organizationId, documentId: 'plan' };
let page: Page;
let faults: readonly string[] = [];

beforeAll(async () => {
  await client.ok('/v2/organizations/add', { organizations: [{ organizationId, organizationName: 'Acme' }] });
  await client.ok('/v2/organizations/documents/add', { organizationId, documents: [{ documentId: 'plan' }] });
  await client.ok('/v2/users/add', {
    organizationId,
    users: [
      { userId: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' },
      { userId: 'grace', name: 'Grace' },
    ],
  });
  await client.ok('/v2/commentannotations/add', {
    ...location,
    commentAnnotations: [{ commentData: [{ commentText: 'First', from: { userId: 'ada' } }] }],
  });
  await addActivity(5);
  ({ page, faults } = await openConsole(browser, stack.link));
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
});
afterAll(() => expect(faults).toEqual([]));

async function addActivity(count: number): Promise<void> {
  const activities = Array.from({ length: count }, () => ({
    featureType: 'custom',
    actionType: 'custom',
    actionUser: { userId: 'ada' },
    targetEntityId: 'card',
    displayMessageTemplate: 'Ada moved a card',
  }));
  await client.ok('/v2/activities/add', { ...location, activities });
}

/** Opens a page of the demo key by its link in the navigation. */
const openPage = (title: string) =>
  page.getByRole('navigation', { name: 'API key' }).getByRole('link', { name: title, exact: true }).click();
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const fact = (name: string) => page.locator('dt', { hasText: name }).locator('+ dd');

/** Confirms a dialog that requires a text. Expects its button to do nothing without the text. */
async function confirm(action: string, typed: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  const button = dialog.getByRole('button', { name: action, exact: true });
  expect(await button.isDisabled()).toBe(true);
  await dialog.getByLabel(`Type ${typed} to confirm`).fill(`${typed} `);
  expect(await button.isDisabled()).toBe(true);
  await dialog.getByLabel(`Type ${typed} to confirm`).fill(typed);
  await button.click();
}

browser.describe('in the console of npm start, one', () => {
  it('migrates a document and shows its status until it is completed and verified', async () => {
    await openPage('Organizations');
    await page.getByRole('link', { name: 'Acme' }).click();
    await page.getByRole('link', { name: 'plan' }).first().click();
    await page.getByRole('link', { name: 'Migration' }).click();
    await page.getByLabel('New document id').fill('plan-2026');
    await press('Migrate …');
    await confirm('Migrate the document', 'plan-2026');
    await fact('Status').getByText('completed').waitFor();
    location.documentId = 'plan-2026';
    await fact('Verified')
      .getByText(/Verified$/)
      .waitFor();
    // A reload continues to watch the same migration.
    await page.reload();
    await fact('Status').getByText('completed').waitFor();
    await page.getByRole('link', { name: 'Open the document at its new id' }).click();
    await page.getByRole('link', { name: 'Activity log' }).click();
    await page.getByRole('cell', { name: 'Ada moved a card' }).first().waitFor();
    const { data } = await client.ok<readonly { readonly id: string }[]>('/v2/organizations/documents/get', {
      organizationId,
    });
    expect(data.map(({ id }) => id)).toEqual(['plan-2026']);
  });

  it('deletes the data of a user, after a dry run, and verifies and downloads the receipt', async () => {
    await openPage('Users');
    await page.getByLabel('Organization id').fill(organizationId);
    await press('Find');
    await page.getByRole('link', { name: /ada/i }).first().click();
    await page.getByRole('link', { name: 'Deletion', exact: true }).click();
    await press('Start a dry run');
    const counts = page.getByRole('table', { name: 'Records by kind' });
    const deleting = page.getByRole('button', { name: /^Delete \d+ records of 1 user …$/ });
    await deleting.waitFor();
    expect(await counts.getByRole('row').count()).toBeGreaterThan(1);
    const stays = await client.ok('/v2/users/get', { organizationId, userIds: ['ada'] });
    expect(stays.data).toHaveLength(1);
    await deleting.click();
    const action = await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Delete/ })
      .textContent();
    await confirm(action ?? '', 'ada');
    const receipt = page.getByRole('region', { name: 'Receipt' });
    await receipt.getByText('Verified in this browser').waitFor({ timeout: 600_000 });
    await receipt.getByText('ada: covered').waitFor();
    expect(await counts.getByRole('row').count()).toBeGreaterThan(1);
    const downloading = page.waitForEvent('download');
    await press('Download the receipt');
    const jws = await readFile(await (await downloading).path(), 'utf8');
    const jwks = (await (await fetch(`${demo.baseUrl}/.well-known/jwks.json`)).json()) as Jwks;
    expect((await receipts.verify(jws, { jwks })).claims.unfinished).toEqual([]);
    expect((await client.ok('/v2/users/get', { organizationId, userIds: ['ada'] })).data).toEqual([]);
  });

  it('refuses a receipt that was altered', async () => {
    await page.route('**/v2/users/data/delete/status', async (route) => {
      const response = await route.fetch();
      const text = await response.text();
      // Changes a byte in the middle of the signature.
      const altered = text.replace(
        /("jws":"[^"]{10,})(.)([^"]{20}")/,
        (_, head: string, one: string, tail: string) => `${head}${one === 'A' ? 'B' : 'A'}${tail}`,
      );
      await route.fulfill({ response, body: altered });
    });
    await page.reload();
    await page.getByRole('region', { name: 'Receipt' }).getByRole('alert').waitFor();
    expect(await page.getByText('Verified in this browser').count()).toBe(0);
    await page.unroute('**/v2/users/data/delete/status');
  });

  it('finds a failing endpoint, repairs its URL, and recovers its messages', async () => {
    await client.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    receiver.behave((delivered, response) =>
      responding(delivered.path === '/hook' ? 200 : 503, {}, 'out of order')(delivered, response),
    );
    await openPage('Webhooks');
    await press('Create an endpoint …');
    await page.getByLabel('URL').fill(receiver.url.replace('/hook', '/moved'));
    await press('Create the endpoint');
    const secret = await page
      .getByRole('dialog')
      .getByText(/^whsec_/)
      .textContent();
    await press('I have copied it');
    await page.getByRole('heading', { name: /moved$/, level: 1 }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await addActivity(3);
    await page.getByLabel('Status').selectOption('failed');
    await eventually(async () => expect(await page.getByRole('row', { name: /failed/ }).count()).toBe(3));
    await fact('Health').getByText('Failing').waitFor();
    await page
      .getByRole('row', { name: /failed/ })
      .first()
      .getByRole('link')
      .click();
    await page.getByRole('cell', { name: 'out of order' }).first().waitFor();
    expect(await page.getByRole('cell', { name: '503', exact: true }).count()).toBe(2);
    await page.goBack();
    await press('Change the URL …');
    await page.getByRole('dialog').getByLabel('URL').fill(receiver.url);
    await press('Save');
    await page.getByRole('heading', { name: /hook$/, level: 1 }).waitFor();
    await press('Recover …');
    await press('Recover');
    await page.getByRole('dialog').getByRole('status').waitFor();
    await press('Cancel');
    await page.getByLabel('Status').selectOption('succeeded');
    await eventually(async () => expect(await page.getByRole('row', { name: /succeeded/ }).count()).toBe(3));
    await fact('Health').getByText('Healthy').waitFor();
    expect(receiver.delivered.filter(({ path }) => path === '/hook')).toHaveLength(3);
  });

  it('creates an API key whose token is shown once, and disables the key', async () => {
    await page.getByRole('link', { name: 'API keys' }).click();
    await press('Create an API key …');
    await page.getByLabel('Name').fill('Mobile');
    await page.getByLabel('E-mail of the owner').fill('owner@example.com');
    await press('Create the API key');
    const shown = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
    const [, apiKey = '', authToken = ''] =
      /x-svc-api-key: (\S+)\s+x-svc-auth-token: (\S+)/.exec(shown) ?? [];
    await press('I have copied it');
    const mobile = aClient(demo.baseUrl, { 'x-svc-api-key': apiKey, 'x-svc-auth-token': authToken });
    await mobile.ok('/v2/organizations/get', {});
    const row = page.getByRole('row', { name: /Mobile/ });
    await row.getByText('Enabled').waitFor();
    const storage = 'JSON.stringify([localStorage, sessionStorage])';
    for (const text of [await page.content(), await page.evaluate<string>(storage), page.url()])
      expect(text).not.toContain(authToken);
    await row.getByRole('button', { name: 'Disable …' }).click();
    await confirm('Disable the key', 'Mobile');
    await row.getByText('Disabled').waitFor();
    const refused = await mobile.refused('/v2/organizations/get', {});
    expect(refused).toMatchObject({ http: 403 });
    await row.getByRole('button', { name: 'Enable …' }).click();
    await press('Enable the key');
    await row.getByText('Enabled').waitFor();
    await mobile.ok('/v2/organizations/get', {});
  });
});
