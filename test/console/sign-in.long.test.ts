import { afterAll, expect, it } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { addSignInCode } from '../../domain/console/sign-in-codes.ts';
import { startTestApi } from '../support/api.ts';
import { startTestBrowser } from '../support/browser.ts';
import { buildServedConsole } from '../support/built-console.ts';
import { signIn as signInByCall } from '../support/console.ts';
import { eventually } from '../support/eventually.ts';
import {
  aDocument,
  anOperator,
  anOperatorToken,
  anOrganization,
  aScopedToken,
  aTenant,
} from '../support/factories.ts';
import { transacted } from '../support/in-transaction.ts';
import { openConsole, signIn } from './console-page.ts';

const failures = 5;
const [api, browser] = await Promise.all([
  startTestApi({ environment: { STEWARD_FAILED_CREDENTIALS_LIMIT: String(failures) } }),
  startTestBrowser(),
  buildServedConsole(),
]);
afterAll(async () => {
  await browser.close();
  await api.close();
});

const cookieName = 'steward_console';
const open = async (path: string, options: BrowserContextOptions = {}) =>
  (await openConsole(browser, `${api.url}/console${path}`, options)).page;
const cookieOf = async (page: Page) =>
  (await page.context().cookies()).find(({ name }) => name === cookieName)?.value ?? '';
const signInForm = (page: Page) => page.getByRole('heading', { name: 'Sign in to Steward' });

async function aSignInTenant() {
  const tenant = await aTenant(api);
  const organizationId = await anOrganization(tenant);
  return {
    tenant,
    organizationId,
    path: `/keys/${tenant.keyId}`,
    byKey: { 'API key': tenant.apiKey, 'Auth token': tenant.authToken },
    byWorkspace: {
      'Workspace id': tenant.workspace.workspaceId,
      'Auth token': tenant.workspace.authToken,
    },
  };
}

browser.describe('a session of the console', () => {
  it('gets a new id at sign-in, whatever cookie the browser sends', async () => {
    const { path, byKey } = await aSignInTenant();
    const page = await open(`${path}/jobs`);
    const fixed = { name: cookieName, value: `ses_${'a'.repeat(32)}`, url: api.url };
    await page.context().addCookies([fixed]);
    await signIn(page, byKey);
    const first = await cookieOf(page);
    expect(first).not.toBe(fixed.value);
    await page.context().clearCookies();
    await page.context().addCookies([fixed]);
    await page.reload();
    await signInForm(page).waitFor();
    await signIn(page, byKey);
    expect(await cookieOf(page)).not.toBe(first);
  });

  it('lasts behind a proxy without TLS at a loopback address, in a current Chromium', async () => {
    const { path, byKey } = await aSignInTenant();
    // The header of HAProxy in docker-compose.yml.
    const page = await open(`${path}/jobs`, { extraHTTPHeaders: { 'x-forwarded-for': '10.86.0.1' } });
    await signIn(page, byKey);
    await page.reload();
    await page.locator('#content').waitFor();
    const cookies = await page.context().cookies();
    expect(cookies.map(({ name, secure }) => [name, secure])).toEqual([['__Host-steward_console', true]]);
  });

  it('opens without the proxy that an ended session of the browser had, and ends there too', async () => {
    const { path, byKey } = await aSignInTenant();
    const page = await open(`${path}/jobs`, { extraHTTPHeaders: { 'x-forwarded-for': '10.86.0.1' } });
    const names = async () => (await page.context().cookies()).map(({ name }) => name);
    await signIn(page, byKey);
    await page.context().setExtraHTTPHeaders({});
    await api.database.sql('update console_session set expires_at = now()');
    await page.reload();
    await signInForm(page).waitFor();
    expect(await names()).toEqual(['__Host-steward_console']);
    await signIn(page, byKey);
    await page.reload();
    await page.locator('#content').waitFor();
    expect(await names()).toEqual([cookieName]);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signInForm(page).waitFor();
    expect(await names()).toEqual([]);
  });

  it('cannot be replayed after sign-out', async () => {
    const { path, byKey } = await aSignInTenant();
    const page = await open(`${path}/jobs`);
    await signIn(page, byKey);
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    const value = await cookieOf(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signInForm(page).waitFor();
    const thief = await open(`${path}/jobs`);
    await thief.context().addCookies([{ name: cookieName, value, url: api.url }]);
    await thief.reload();
    await signInForm(thief).waitFor();
    await page.goBack();
    await page.waitForURL(/jobs/);
    await signInForm(page).waitFor();
  });

  it('ends in a browser when another browser revokes it', async () => {
    const { path, byKey } = await aSignInTenant();
    const lost = await open(`${path}/jobs`, { userAgent: 'The lost laptop' });
    await signIn(lost, byKey);
    await lost.getByLabel('Status').selectOption('failed');
    await lost.waitForURL(/status=failed/);
    const page = await open('/open-sessions');
    await signIn(page, byKey);
    await page
      .getByRole('row', { name: /The lost laptop/ })
      .getByRole('button', { name: 'Revoke …' })
      .click();
    await page.getByRole('button', { name: 'Revoke the session' }).click();
    await page.getByRole('row', { name: /The lost laptop/ }).waitFor({ state: 'hidden' });
    // The page finds out by itself when it next refreshes its list.
    await signInForm(lost).waitFor();
    await signIn(lost, byKey);
    expect(new URL(lost.url()).search).toBe('?status=failed');
  });

  it.each([
    ['2 hours without a call', `last_used_at = now() - interval '2 hours'`],
    ['12 hours', 'expires_at = now()'],
  ])('ends after %s, and a new sign-in returns to the same page and filters', async (_, change) => {
    const { tenant, organizationId, path, byKey } = await aSignInTenant();
    const { documentId } = await aDocument(tenant, { organizationId });
    const search = new URLSearchParams({ organizationId, documentId, userId: 'ada' });
    const page = await open(`${path}/document?${search.toString()}`);
    await signIn(page, byKey);
    await page.getByLabel('User id').waitFor();
    await api.database.sql(`update console_session set ${change} where owner_id = $1`, [tenant.id]);
    await page.getByLabel('User id').fill('grace');
    await page.getByRole('button', { name: 'Find' }).click();
    await signInForm(page).waitFor();
    await signIn(page, byKey);
    await page.getByText('Steps, from the document upward').waitFor();
    expect(await page.getByLabel('User id').inputValue()).toBe('grace');
  });

  it('ends with the 20th later sign-in of its token', async () => {
    const { tenant, path, byKey } = await aSignInTenant();
    const page = await open(`${path}/jobs`);
    await signIn(page, byKey);
    const credentials = { apiKey: tenant.apiKey, authToken: tenant.authToken };
    for (let count = 1; count < 20; count += 1) await signInByCall(api, credentials);
    await page.reload();
    await page.getByRole('heading', { name: 'Jobs' }).waitFor();
    // Every other session was used later than this one.
    await api.database.sql(
      `update console_session set last_used_at = created_at where owner_id = $1 and created_at =
         (select min(created_at) from console_session where owner_id = $1)`,
      [tenant.id],
    );
    await signInByCall(api, credentials);
    await page.reload();
    await signInForm(page).waitFor();
  });

  it('of another tab replaces that of this one, with all of its data', async () => {
    const [mine, theirs] = [await aSignInTenant(), await aSignInTenant()];
    const page = await open(`${mine.path}/organizations`);
    await signIn(page, mine.byWorkspace);
    await page.getByRole('link', { name: mine.organizationId }).first().waitFor();
    const code = await transacted(api.orm, async (em) =>
      addSignInCode(em, theirs.tenant.workspace.workspaceId),
    );
    const other = await page.context().newPage();
    await other.goto(`${api.url}/console#code=${code}`);
    await other.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Jobs', exact: true }).first().click();
    await page.getByText('The session has no access to this API key.').first().waitFor();
    expect(await page.content()).not.toContain(mine.organizationId);
    await page.goto(`${api.url}/console${theirs.path}/organizations`);
    await page.getByRole('link', { name: theirs.organizationId }).first().waitFor();
  });

  it('shows a key of another tenant as a key without access', async () => {
    const [mine, theirs] = [await aSignInTenant(), await aSignInTenant()];
    const page = await open(`${theirs.path}/organizations`);
    await signIn(page, mine.byWorkspace);
    await page.getByText('This session has no access to this data.').first().waitFor();
    expect(await page.content()).not.toContain(theirs.organizationId);
  });

  it('shows only what the scopes of its token allow', async () => {
    const { tenant, organizationId, path } = await aSignInTenant();
    const { token } = await aScopedToken(tenant, ['organizations:read']);
    const page = await open(`${path}/organizations`);
    await signIn(page, { 'API key': tenant.apiKey, 'Auth token': token });
    await page.getByRole('link', { name: organizationId }).first().waitFor();
    await page.getByRole('link', { name: 'Jobs', exact: true }).click();
    await page.getByText('This session has no access to this data.').first().waitFor();
  });

  it('of an operator who acts for keys shows states but no content', async () => {
    const { organizationId, path } = await aSignInTenant();
    const { token } = await anOperatorToken(anOperator(api), { actsForKeys: true });
    const page = await open(`${path}/jobs`);
    await signIn(page, { 'Operator token': token });
    await page.getByText('No jobs match.').waitFor();
    await page.getByRole('link', { name: 'Organizations' }).click();
    await page.getByText('This session has no access to this data.').first().waitFor();
    expect(await page.content()).not.toContain(organizationId);
  });

  it('is not opened by wrong credentials, which the rate limit refuses when repeated', async () => {
    const { byWorkspace } = await aSignInTenant();
    const page = await open('');
    const wrong = async () => {
      await page.getByLabel('Workspace id').fill(byWorkspace['Workspace id']);
      await page.getByLabel('Auth token').fill('wrong');
      const response = page.waitForResponse('**/console/session');
      await page.getByRole('button', { name: 'Sign in' }).click();
      return (await response).status();
    };
    const refused: number[] = [];
    const began = Date.now();
    // The limit is per minute, in which a slow machine makes fewer attempts.
    await eventually(async () => {
      const status = await wrong();
      if (status !== 429) refused.push(status);
      return status === 429;
    });
    expect(refused.length).toBeGreaterThanOrEqual(failures);
    expect(refused.length).toBeLessThanOrEqual(failures * (1 + Math.ceil((Date.now() - began) / 60_000)));
    expect(new Set(refused)).toEqual(new Set([403]));
    await page.getByRole('alert').getByText('Rate limit exceeded.', { exact: true }).waitFor();
    const entries = await api.database.sql(`select 1 from audit_entry where action = 'console.sign_in'`);
    expect(entries.length).toBeGreaterThanOrEqual(failures);
    await signIn(page, byWorkspace);
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  });
});
