import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startTestApi } from '../support/api.ts';
import { startTestBrowser } from '../support/browser.ts';
import { buildServedConsole } from '../support/built-console.ts';
import { aReceiver } from '../support/receiver.ts';
import { recordPathsOf, type Furnished } from './all-pages.ts';
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

let records: Furnished;
let page: Page;

beforeAll(async () => {
  records = await furnished(api, receiver, 'Quarterly plan');
  const { workspaceId, authToken } = records.tenant.workspace;
  ({ page } = await openConsole(browser, `${api.url}/console`));
  await signIn(page, { 'Workspace id': workspaceId, 'Auth token': authToken });
});

interface Act {
  readonly path: keyof ReturnType<typeof recordPathsOf>;
  /** The button that opens the dialog. Absent for acts without a dialog. */
  readonly opens?: string;
  /** Values of the fields by their labels. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly checks?: string;
  readonly action: string;
  readonly operation: string;
}

const endpoints = '/v2/workspace/advancedwebhook/endpoints';
const name = 'Quarterly plan';

// Until the last act of its page, the workspace has only this key.
const acts: readonly Act[] = [
  {
    path: 'apiKeys',
    opens: 'Add a token …',
    fields: { Name: 'Nightly' },
    checks: 'organizations:read',
    action: 'Add the token',
    operation: '/v2/workspace/authtokens/add',
  },
  {
    path: 'apiKeys',
    opens: 'Rotate …',
    fields: { [`Type ${name} to confirm`]: name },
    action: 'Rotate the token',
    operation: '/v2/workspace/authtoken/reset',
  },
  {
    path: 'apiKeys',
    opens: 'Create an API key …',
    fields: { Name: 'Second', 'E-mail of the owner': 'owner@example.com' },
    action: 'Create the API key',
    operation: '/v2/workspace/apikey/create',
  },
  {
    path: 'domains',
    fields: { Domain: 'example.com' },
    action: 'Add the domain',
    operation: '/v2/workspace/domains/add',
  },
  {
    path: 'settings',
    fields: { 'notificationServiceConfig › delayConfig › delaySeconds': '90' },
    action: 'Save 1 change',
    operation: '/v2/workspace/notificationconfig/update',
  },
  {
    path: 'webhooks',
    opens: 'Create an endpoint …',
    fields: { URL: 'https://example.com/hook' },
    action: 'Create the endpoint',
    operation: `${endpoints}/create`,
  },
  {
    path: 'endpoint',
    opens: 'Test …',
    action: 'Send the test message',
    operation: `${endpoints}/test`,
  },
  {
    path: 'endpoint',
    opens: 'Recover …',
    action: 'Recover',
    operation: `${endpoints}/recover`,
  },
  {
    path: 'endpoint',
    opens: 'Rotate the secret …',
    action: 'Rotate the secret',
    operation: `${endpoints}/secret/rotate`,
  },
  {
    path: 'message',
    opens: 'Resend …',
    action: 'Resend the message',
    operation: `${endpoints}/messages/resend`,
  },
  { path: 'deletion', action: 'Start a dry run', operation: '/v2/users/data/delete' },
  { path: 'job', opens: 'Cancel the job …', action: 'Cancel the job', operation: '/v2/jobs/cancel' },
];

browser.describe('a double click', () => {
  it.each(acts)('on "$action" acts once', async ({ path, opens, fields = {}, checks, action, operation }) => {
    await page.goto(`${api.url}/console${recordPathsOf(records)[path]}`);
    if (opens !== undefined) await page.getByRole('button', { name: opens, exact: true }).click();
    for (const [label, value] of Object.entries(fields))
      await page.getByLabel(label, { exact: true }).fill(value);
    if (checks !== undefined) await page.getByLabel(checks, { exact: true }).check();
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith(`/console/api${operation}`)) sent.push(request.url());
    });
    const responded = page.waitForResponse(`**/console/api${operation}`);
    await page.getByRole('button', { name: action, exact: true }).dblclick();
    await responded;
    page.removeAllListeners('request');
    expect(sent).toHaveLength(1);
  });
});
