import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startTestApi } from '../support/api.ts';
import { startTestBrowser } from '../support/browser.ts';
import { buildServedConsole } from '../support/built-console.ts';
import { operatorToken } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { aTenant } from '../support/factories.ts';
import { aListeningTenant } from '../support/webhooks.ts';
import { documentId, organizationId, userId } from './all-pages.ts';
import { openConsole, signIn, type Credentials } from './console-page.ts';

const [api, browser] = await Promise.all([
  startTestApi({ environment: { TEMPORAL_UI_URL: 'https://temporal.example.com' } }),
  startTestBrowser(),
  buildServedConsole(),
]);
afterAll(async () => {
  await browser.close();
  await api.close();
});

const tenant = await aTenant(api);
const other = await aTenant(api, { workspace: tenant.workspace });
const { keyId } = tenant;
const byWorkspace = {
  'Workspace id': tenant.workspace.workspaceId,
  'Auth token': tenant.workspace.authToken,
};
const byKey = { 'API key': tenant.apiKey, 'Auth token': tenant.authToken };

/** Collects the paths of operations that a page calls, and its failed calls. */
interface Calls {
  readonly called: string[];
  readonly failed: string[];
}

async function open(path: string, credentials: Credentials): Promise<{ page: Page; calls: Calls }> {
  const { page } = await openConsole(browser, `${api.url}/console${path}`);
  const calls: Calls = { called: [], failed: [] };
  page.on('response', (response) => {
    const [, operation] = response.url().split('/console/api');
    if (operation === undefined) return;
    calls.called.push(operation);
    if (!response.ok()) calls.failed.push(operation);
  });
  await signIn(page, credentials);
  return { page, calls };
}

beforeAll(async () => {
  await tenant.ok('/v2/organizations/add', {
    organizations: [{ organizationId, organizationName: 'Acme Corporation' }, { organizationId: 'beta' }],
  });
  await tenant.ok('/v2/organizations/documents/add', {
    organizationId,
    documents: [{ documentId, documentName: 'Budget' }, { documentId: 'notes' }],
  });
  for (const organization of [organizationId, 'beta'])
    await tenant.ok('/v2/users/add', {
      organizationId: organization,
      users: [{ userId, name: 'Ada Lovelace', email: 'countess@example.com' }],
    });
  await tenant.ok('/v2/notifications/add', {
    organizationId,
    documentId,
    notificationId: 'moved',
    actionUser: { userId: 'ben' },
    displayHeadlineMessageTemplate: 'Moved',
    displayBodyMessage: 'The plan has moved.',
    notifyUsers: [{ userId }],
  });
  await api.database.sql(
    `insert into job (api_key_id, public_id, kind, status, error, ended_at)
       select k, 'job-of-' || k, 4, 3, 'failed', now() from unnest($1::bigint[]) k`,
    [[tenant.id, other.id]],
  );
});

browser.describe('a page of the console', () => {
  it.each([
    ['a workspace', byWorkspace],
    ['an API key', byKey],
    ['an operator', { 'Operator token': operatorToken }],
  ] as const)(
    'shows the overview to %s with at most six calls, none of them refused',
    async (_, credentials) => {
      const { page, calls } = await open(`/keys/${keyId}/overview`, credentials);
      await page.getByText('All endpoints are enabled').or(page.getByText('no webhook endpoints')).waitFor();
      await page.getByRole('link', { name: 'Failed jobs' }).waitFor();
      await page.getByText('Requests by hour, last 48 hours').first().waitFor();
      expect(calls.failed).toEqual([]);
      expect(new Set(calls.called).size).toBeLessThanOrEqual(6);
    },
  );

  it('finds organizations, documents and users by the beginning of a name', async () => {
    const { page } = await open(`/keys/${keyId}/organizations`, byKey);
    await page.getByRole('cell', { name: 'beta' }).first().waitFor();
    await page.getByLabel('Id or name begins with').fill('acme corp');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.waitForURL(/find=acme/);
    await page.getByRole('cell', { name: 'beta', exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Acme Corporation' }).click();
    await page.getByLabel('Document id or name begins with').fill('budg');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('cell', { name: 'notes', exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Budget' }).waitFor();
    await page.getByRole('link', { name: 'Users', exact: true }).click();
    await page.getByLabel('Id, e-mail or name begins with').fill('COUNT');
    await page.getByRole('button', { name: 'Search all organizations' }).click();
    await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor();
    await page.getByRole('link', { name: 'beta' }).waitFor();
  });

  it('shows the day on which a grant expires', async () => {
    const expiresAt = Math.floor(Date.now() / 1_000) + 86_400;
    await tenant.ok('/v2/auth/permissions/add', {
      user: { userId: 'guest' },
      permissions: { resources: [{ type: 'document', id: 'notes', organizationId, expiresAt }] },
    });
    const search = `organizationId=${organizationId}&userId=guest`;
    const { page } = await open(`/keys/${keyId}/document?${search}&documentId=notes`, byKey);
    const shown = page.locator(`time[datetime="${new Date(expiresAt * 1_000).toISOString()}"]`);
    await shown.waitFor();
    await page.goto(`${api.url}/console/keys/${keyId}/user?${search}`);
    await page.getByRole('table', { name: 'Grants' }).locator(shown).waitFor();
  });

  it('shows all grants of a user, page by page', async () => {
    const ids = Array.from({ length: 120 }, (_, index) => `granted-${String(index)}`);
    for (const part of [ids.slice(0, 60), ids.slice(60)]) {
      const documents = part.map((id) => ({ documentId: id }));
      await tenant.ok('/v2/organizations/documents/add', { organizationId, documents });
      const resources = part.map((id) => ({ type: 'document', id, organizationId }));
      await tenant.ok('/v2/auth/permissions/add', { user: { userId: 'reader' }, permissions: { resources } });
    }
    const { page } = await open(`/keys/${keyId}/user?organizationId=${organizationId}&userId=reader`, byKey);
    await page.getByText('This page has at most 100 of each kind.').waitFor();
    const rows = page.getByRole('table', { name: 'Grants' }).getByRole('row');
    const first = (await rows.count()) - 1;
    await page.getByRole('button', { name: 'Next' }).click();
    await page.waitForURL(/pageToken=/);
    await eventually(async () => (await rows.count()) - 1 === ids.length - first);
    await page.getByText('This page has at most 100 of each kind.').waitFor({ state: 'detached' });
  });

  it('records one export for a view of a user, whatever its tabs and its focus', async () => {
    const { page, calls } = await open(`/keys/${keyId}/user?organizationId=beta&userId=${userId}`, byKey);
    const memberships = page.getByRole('table', { name: 'Memberships' });
    const focused = async (): Promise<void> => {
      const refreshed = page.waitForResponse('**/console/session');
      // The session is refreshed only when it is older than a second.
      const again = setInterval(() => {
        void page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`);
      }, 100);
      await refreshed.finally(() => clearInterval(again));
    };
    const reads = () => calls.called.filter((path) => path === '/v2/users/data/get').length;
    await memberships.waitFor();
    await focused();
    await page.getByRole('link', { name: 'Deletion' }).click();
    await page.getByRole('button', { name: 'Start a dry run' }).waitFor();
    await page.getByRole('link', { name: 'Memberships and access' }).click();
    await memberships.waitFor();
    await focused();
    expect(reads()).toBe(1);
    await page.getByRole('button', { name: 'Read again' }).click();
    await eventually(() => reads() === 2);
  });

  it('opens the next page of a list whose page tokens are long', async () => {
    const named = await aTenant(api);
    const organizations = Array.from({ length: 51 }, (_, index) => ({
      organizationId: `${String(100 + index)}-${'"'.repeat(990)}`,
      organizationName: `Organization ${String(index)}`,
    }));
    await named.ok('/v2/organizations/add', { organizations });
    const credentials = { 'API key': named.apiKey, 'Auth token': named.authToken };
    const { page } = await open(`/keys/${named.keyId}/organizations`, credentials);
    await page.getByRole('link', { name: 'Organization 0', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('link', { name: 'Organization 50', exact: true }).waitFor();
    expect(page.url().length).toBeGreaterThan(2_000);
    await page.reload();
    await page.getByRole('link', { name: 'Organization 50', exact: true }).waitFor();
  });

  it('finds an endpoint behind thousands of others', async () => {
    const { page } = await openConsole(browser, `${api.url}/console`);
    const endpoint = { disabled: false, description: null, filterTypes: null };
    await page.route('**/advancedwebhook/endpoints/get', async (route) => {
      const { data } = route.request().postDataJSON() as { readonly data: { readonly iterator?: string } };
      const read = Number(data.iterator ?? 0);
      const done = read === 9_000;
      const ids = done
        ? ['ep_last']
        : Array.from({ length: 250 }, (_, index) => `ep_${String(read + index)}`);
      const endpoints = ids.map((id) => ({ ...endpoint, id, url: `https://example.com/${id}` }));
      const next = { iterator: done ? null : String(read + 250), prevIterator: null, done };
      await route.fulfill({ json: { result: { status: 'success', data: { endpoints, ...next } } } });
    });
    await signIn(page, byKey);
    await page.goto(`${api.url}/console/keys/${keyId}/endpoint?endpointId=ep_last`);
    await page.getByRole('heading', { name: 'https://example.com/ep_last' }).waitFor();
  });

  it('exports the audit log in a browser that iterates no streams', async () => {
    const { page } = await open('/audit-log', byWorkspace);
    await page.addInitScript('delete ReadableStream.prototype[Symbol.asyncIterator];');
    await page.reload();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export as CSV' }).click();
    const csv = await readFile(await (await downloading).path(), 'utf8');
    expect(csv).toContain('console.sign_in');
  });

  it('reads the session and shows a job in a browser without AbortSignal.any and URL.parse', async () => {
    const { page } = await open(`/keys/${keyId}/job?jobId=job-of-${tenant.id}`, byKey);
    await page.addInitScript('delete AbortSignal.any; delete URL.parse;');
    await page.reload();
    await page.getByRole('link', { name: 'Open the workflow' }).waitFor();
  });

  it('lists the jobs of every key of a workspace', async () => {
    const { page } = await open('/jobs?status=failed', byWorkspace);
    for (const { id } of [tenant, other]) await page.getByRole('link', { name: `job-of-${id}` }).waitFor();
  });

  it.each([
    ['a pending migration', 1, 0, { cancel: 1, retry: 0 }],
    ['a migration in progress', 1, 1, { cancel: 0, retry: 0 }],
    ['a failed migration', 1, 3, { cancel: 0, retry: 0 }],
    ['a deletion in progress', 2, 1, { cancel: 1, retry: 0 }],
    ['a failed deletion', 2, 3, { cancel: 0, retry: 0 }],
    ['a pending provisioning', 3, 0, { cancel: 0, retry: 0 }],
    ['a failed provisioning', 3, 3, { cancel: 0, retry: 1 }],
    ['a cascade in progress', 4, 1, { cancel: 0, retry: 0 }],
  ] as const)('offers for %s only the acts that the API may accept', async (name, kind, status, acts) => {
    await api.database.sql(
      `insert into job (api_key_id, public_id, kind, status, ended_at, next_sweep_at)
         values ($1, $2, $3, $4, case when $5 then now() end, now() + interval '1 hour')`,
      [tenant.id, name, kind, status, status === 3],
    );
    const path = `/keys/${keyId}/job?jobId=${encodeURIComponent(name)}`;
    const { page } = await open(path, { 'Operator token': operatorToken });
    await page.getByRole('region', { name: 'Job' }).waitFor();
    expect({
      cancel: await page.getByRole('button', { name: 'Cancel the job …' }).count(),
      retry: await page.getByRole('button', { name: 'Retry the job …' }).count(),
    }).toEqual(acts);
  });

  it('explains a notification by its rules, with the preferences of the user', async () => {
    const { page, calls } = await open(`/keys/${keyId}/notifications?tab=explain`, byKey);
    await page.getByLabel('Organization id').fill(organizationId);
    await page.getByLabel('Notification id').fill('moved');
    await page.getByLabel('User id').fill(userId);
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('In the inbox, not read').waitFor();
    await page.getByRole('heading', { name: 'E-mail' }).waitFor();
    await page.getByText('Stopped it').first().waitFor();
    const preferences = page.getByRole('table', { name: 'Notification preferences' });
    await preferences.or(page.getByText('No preferences: the defaults apply.')).waitFor();
    expect(calls.failed).toEqual([]);
    expect(page.url()).toContain('notificationId=moved');
  });

  it('repeats an act that was refused once its cause is gone', async () => {
    const { page } = await open(`/keys/${keyId}/webhooks`, byKey);
    await page.getByRole('button', { name: 'Create an endpoint …' }).click();
    await page.getByLabel('URL').fill('https://example.com/hook');
    const create = page.getByRole('button', { name: 'Create the endpoint' });
    await create.click();
    await page.getByText('Advanced webhooks are not configured').waitFor();
    await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    await create.click();
    await page.getByRole('button', { name: 'I have copied it' }).waitFor();
  });

  it('shows the warning of an endpoint that is created, and of one whose URL is changed', async () => {
    const warned = await aListeningTenant(api);
    const credentials = { 'API key': warned.apiKey, 'Auth token': warned.authToken };
    const { page } = await open(`/keys/${warned.keyId}/webhooks`, credentials);
    const warning = page.getByText('The host of url is a private or reserved address');
    await page.getByRole('button', { name: 'Create an endpoint …' }).click();
    await page.getByLabel('URL').fill('https://10.0.0.1/hook');
    await page.getByRole('button', { name: 'Create the endpoint' }).click();
    await warning.waitFor();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('button', { name: 'Change the URL …' }).click();
    await page.getByRole('textbox', { name: 'URL' }).fill('https://10.0.0.2/hook');
    await page.getByRole('button', { name: 'Save' }).click();
    await warning.waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('heading', { name: 'https://10.0.0.2/hook' }).waitFor();
  });

  it('shows no failure of an earlier attempt in a dialog that is opened again', async () => {
    await tenant.ok('/v2/workspace/domains/add', { domains: ['again.example.com'] });
    const { page } = await open(`/keys/${keyId}/settings?section=domains`, byKey);
    await page.route('**/domains/delete', async (route) => route.abort());
    const row = page.locator('tr').filter({ hasText: 'again.example.com' });
    const dialog = page.getByRole('dialog');
    const remove = async (): Promise<void> => {
      await row.getByRole('button', { name: 'Remove …' }).click();
      await dialog.getByLabel('Type again.example.com to confirm').fill('again.example.com');
    };
    await remove();
    await dialog.getByRole('button', { name: 'Remove the domain' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await remove();
    expect(await dialog.getByRole('alert').count()).toBe(0);
    await page.unroute('**/domains/delete');
    await dialog.getByRole('button', { name: 'Remove the domain' }).click();
    await dialog.waitFor({ state: 'hidden' });
  });

  it('adds a scoped token that works, and revokes it', async () => {
    const { page } = await open(`/api-keys?keyId=${keyId}`, byWorkspace);
    await page.getByRole('button', { name: 'Add a token …' }).click();
    await page.getByLabel('Name').fill('Nightly');
    await page.getByLabel('organizations:read').check();
    await page.getByRole('button', { name: 'Add the token' }).click();
    const token = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
    const scoped = tenant.with({ 'x-svc-auth-token': token });
    await scoped.ok('/v2/organizations/get');
    await scoped.refused('/v2/users/search', { prefix: 'a' });
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('cell', { name: 'Nightly' }).waitFor();
    await page.getByRole('button', { name: 'Revoke …' }).click();
    await page.getByLabel('Type Nightly to confirm').fill('Nightly');
    await page.getByRole('button', { name: 'Revoke the token' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect((await scoped.refused('/v2/organizations/get')).status).toBe('PERMISSION_DENIED');
  });

  it('rotates a token with an overlap, and disables and enables a key', async () => {
    const rotated = await aTenant(api, { workspace: tenant.workspace });
    await tenant.workspace.ok('/v2/workspace/apikey/update', {
      apiKey: rotated.apiKey,
      apiKeyName: 'Rotated',
    });
    const { page } = await open('/api-keys', byWorkspace);
    const row = page.getByRole('row').filter({ hasText: 'Rotated' });
    await row.getByRole('button', { name: 'Rotate …' }).click();
    await page.getByLabel('Type Rotated to confirm').fill('Rotated');
    await page.getByRole('button', { name: 'Rotate the token' }).click();
    const token = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
    await rotated.with({ 'x-svc-auth-token': token }).ok('/v2/organizations/get');
    await rotated.ok('/v2/organizations/get');
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await row.getByRole('button', { name: 'Disable …' }).click();
    await page.getByLabel('Type Rotated to confirm').fill('Rotated');
    await page.getByRole('button', { name: 'Disable the key' }).click();
    await row.getByText('Disabled').waitFor();
    await rotated.refused('/v2/organizations/get');
    await row.getByRole('button', { name: 'Enable …' }).click();
    await page.getByRole('button', { name: 'Enable the key' }).click();
    await row.getByText('Enabled').waitFor();
    await eventually(async () => (await rotated.call('/v2/organizations/get')).status === 200);
  });
});
