import { beforeAll, expect, it } from '@jest/globals';
import { addSignInCode } from '../../domain/console/sign-in-codes.ts';
import { operatorToken } from '../support/environment.ts';
import { aTenant } from '../support/factories.ts';
import { transacted } from '../support/in-transaction.ts';
import { documentId, expectAccessible, organizationId, pathsOf, userId } from './all-pages.ts';
import { accessibilityViolations, openConsole, signIn } from './console-page.ts';
import { consoleScene, signInsOf } from './console-scene.ts';

const { api, browser } = await consoleScene();

const tenant = await aTenant(api);
const { keyId } = tenant;
const { byKey, byWorkspace } = signInsOf(tenant);

const markup = '<img src=x onerror=alert(1)><script>alert(2)</script>';

beforeAll(async () => {
  await tenant.ok('/v2/organizations/add', { organizations: [{ organizationId, organizationName: markup }] });
  await tenant.ok('/v2/organizations/documents/add', {
    organizationId,
    documents: [{ documentId, documentName: markup }],
  });
  await tenant.ok('/v2/users/add', { organizationId, users: [{ userId, name: markup }] });
});

const open = (path: string, options = {}) => openConsole(browser, `${api.url}/console${path}`, options);

browser.describe('the console', () => {
  it.each([
    ['a workspace', byWorkspace, 'Overview'],
    ['an API key', byKey, 'Overview'],
    ['an operator', { 'Operator token': operatorToken }, 'All jobs'],
  ] as const)('signs in %s', async (_, credentials, heading) => {
    const { page, faults } = await open('');
    await signIn(page, credentials);
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Steward' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('calls no operation of a key until an operator opens a page of one', async () => {
    const { page } = await open('');
    await signIn(page, { 'Operator token': operatorToken });
    const acts = async () => api.database.sql(`select target from audit_entry where action = 'key.act_for'`);
    await page.getByRole('heading', { name: 'All jobs', level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await acts()).toEqual([]);
    await page.goto(`${api.url}/console/keys/${keyId}/overview`);
    await page.getByText('Requests by hour, last 48 hours').first().waitFor();
    expect(await acts()).not.toEqual([]);
  });

  it('opens the first enabled key of a workspace', async () => {
    const disabled = await aTenant(api);
    const enabled = await aTenant(api, { workspace: disabled.workspace });
    await disabled.workspace.ok('/v2/workspace/apikey/disable', { apiKey: disabled.apiKey });
    const { page } = await open('');
    await signIn(page, signInsOf(disabled).byWorkspace);
    await page.waitForURL(`**/keys/${enabled.keyId}/overview`);
    await page.goto(`${api.url}/console/jobs`);
    await page.getByRole('heading', { name: 'All jobs', level: 1 }).waitFor();
    await expect(page.getByRole('combobox', { name: 'API key' }).inputValue()).resolves.toBe(enabled.keyId);
  });

  it('signs in by a link, once, and removes its code from the URL', async () => {
    const code = await transacted(api.orm, async (em) => addSignInCode(em, tenant.workspace.workspaceId));
    const { page, faults } = await open(`#code=${code}`);
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    expect(page.url()).not.toContain(code);
    const again = await open(`#code=${code}`);
    await again.page.getByText('Invalid sign-in link.').waitFor();
    await signIn(again.page, byKey);
    expect([...faults, ...again.faults]).toEqual([]);
  });

  it('shows the sign-in for a damaged link', async () => {
    const { page, faults } = await open('#code=%');
    await page.getByText('Invalid sign-in link.').waitFor();
    await signIn(page, byKey);
    expect(page.url()).not.toContain('code=');
    expect(faults).toEqual([]);
  });

  it('refuses wrong credentials, and stores no token in the browser or the URL', async () => {
    const { page } = await open('');
    await page.getByLabel('Workspace id').fill(byWorkspace['Workspace id']);
    await page.getByLabel('Auth token').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await signIn(page, byWorkspace);
    const kept = await page.evaluate<string>(
      'JSON.stringify([localStorage, sessionStorage]) + location.href + document.cookie',
    );
    expect(kept).not.toContain(byWorkspace['Auth token']);
  });

  it('returns to the requested page after the sign-in, and keeps filters over reload, back and forward', async () => {
    const { page } = await open(`/keys/${keyId}/jobs?status=failed`);
    await signIn(page, byKey);
    const status = page.getByLabel('Status');
    await expect(status.inputValue()).resolves.toBe('failed');
    await page.getByLabel('Kind').selectOption('cascade');
    await page.waitForURL(/kind=cascade/);
    await page.reload();
    await expect(page.getByLabel('Kind').inputValue()).resolves.toBe('cascade');
    await page.goBack();
    await page.waitForURL((url) => !url.search.includes('kind'));
    await page.goForward();
    await page.waitForURL(/kind=cascade/);
    await expect(status.inputValue()).resolves.toBe('failed');
  });

  it('acts once on a double click', async () => {
    const { page } = await open(`/keys/${keyId}/settings?section=domains`);
    await signIn(page, byWorkspace);
    let calls = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/v2/workspace/domains/add')) calls += 1;
    });
    await page.getByLabel('Domain', { exact: true }).fill('example.com');
    await page.getByRole('button', { name: 'Add the domain' }).dblclick();
    await page.getByRole('cell', { name: 'example.com' }).waitFor();
    expect(calls).toBe(1);
  });

  it('reports that the API does not respond, and recovers', async () => {
    const { page } = await open(`/keys/${keyId}/organizations`);
    await signIn(page, byWorkspace);
    await page.getByRole('link', { name: markup }).waitFor();
    await page.route('**/console/api/**', (route) => route.abort());
    await page.getByRole('link', { name: 'Users' }).click();
    await page.getByRole('heading', { name: 'Users' }).waitFor();
    await page.getByLabel('Organization id').fill(organizationId);
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('The API does not respond.').first().waitFor();
    await page.unroute('**/console/api/**');
    await page.getByRole('cell', { name: userId }).waitFor();
  });

  // Every page in both themes: all-pages.long.test.ts.
  const paths = pathsOf(keyId);
  it.each([
    ['light', [paths.document, paths.notifications]],
    ['dark', [paths.users, paths.settings]],
  ] as const)('breaks no rule of axe and runs no markup in the %s theme', async (theme, pages) => {
    const { page, faults } = await open('', { colorScheme: theme });
    await page.locator('h1').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await signIn(page, byWorkspace);
    await expectAccessible(page, api.url, pages);
    expect(faults).toEqual([]);
  });
});
