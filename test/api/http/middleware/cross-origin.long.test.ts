import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startTestApi } from '../../../support/api.ts';
import { startTestBrowser } from '../../../support/browser.ts';
import { aTenant, freshId, type TestTenant } from '../../../support/factories.ts';

const [api, browser] = await Promise.all([
  startTestApi({ environment: { STEWARD_RATE_LIMIT: '1000' } }),
  startTestBrowser(),
]);
const site = createServer((_, response) => {
  response.setHeader('content-type', 'text/html').end('<!doctype html><title>A product</title>');
});
await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
afterAll(async () => {
  await browser.close();
  site.closeAllConnections();
  site.close();
  await api.close();
});

/** Chromium resolves names below `localhost` to this machine. */
const allowed = 'allowed.localhost';
const foreign = 'foreign.localhost';

async function pageOf(host: string): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(`http://${host}:${String((site.address() as AddressInfo).port)}/`);
  return page;
}

const tenantOfPage = () => aTenant(api, { allowedDomains: [allowed] });

/** What a script of the page can read: the response, or the name of the error that `fetch` rejects with. */
interface Readable {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly error?: string;
}

interface Call {
  readonly path?: string;
  readonly data?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly credentials?: 'include';
}

/** Calls from a script of the page. `organizations/get` unless given. */
async function callFrom(page: Page, tenant: TestTenant, call: Call = {}): Promise<Readable> {
  const { path = '/v2/organizations/get', data = {}, headers = {}, credentials = 'same-origin' } = call;
  const request = {
    method: 'POST',
    credentials,
    headers: {
      'content-type': 'application/json',
      'x-svc-api-key': tenant.apiKey,
      'x-svc-auth-token': tenant.authToken,
      ...headers,
    },
    body: JSON.stringify({ data }),
  };
  return await page.evaluate(`
    fetch(${JSON.stringify(api.url + path)}, ${JSON.stringify(request)}).then(
      async (response) => ({
        status: response.status,
        body: await response.json(),
        headers: Object.fromEntries(response.headers),
      }),
      (error) => ({ error: error.name }),
    )`);
}

const unreadable = { error: 'TypeError' };

async function exists(tenant: TestTenant, organizationId: string): Promise<boolean> {
  const { data } = await tenant.ok<readonly unknown[]>('/v2/organizations/get', {
    organizationIds: [organizationId],
  });
  return data.length > 0;
}

browser.describe('a page in Chromium', () => {
  it('of an allowed domain reads responses, refusals and the headers that Steward sends', async () => {
    const tenant = await tenantOfPage();
    const page = await pageOf(allowed);
    const organizationId = freshId('organization');
    const headers = { 'idempotency-key': freshId('call'), 'x-request-id': 'from-a-page' };
    const add = { path: '/v2/organizations/add', data: { organizations: [{ organizationId }] }, headers };
    expect(await callFrom(page, tenant, add)).toMatchObject({
      status: 200,
      headers: { 'x-request-id': 'from-a-page', 'ratelimit-limit': expect.any(String) },
    });
    expect(await callFrom(page, tenant, add)).toMatchObject({
      status: 200,
      headers: { 'idempotent-replayed': 'true' },
    });
    expect(await exists(tenant, organizationId)).toBe(true);
    expect(await callFrom(page, tenant, { data: { pageSize: 'many' } })).toMatchObject({
      status: 400,
      body: { error: { status: 'INVALID_ARGUMENT' } },
    });
  });

  it('of a foreign domain reads nothing and changes nothing', async () => {
    const tenant = await tenantOfPage();
    const page = await pageOf(foreign);
    const organizationId = freshId('organization');
    const add = { path: '/v2/organizations/add', data: { organizations: [{ organizationId }] } };
    expect(await callFrom(page, tenant, add)).toEqual(unreadable);
    expect(await callFrom(page, tenant)).toEqual(unreadable);
    expect(await exists(tenant, organizationId)).toBe(false);
  });

  it('reads nothing with a key that names no domain, although the call is executed', async () => {
    const tenant = await aTenant(api);
    const organizationId = freshId('organization');
    const add = { path: '/v2/organizations/add', data: { organizations: [{ organizationId }] } };
    expect(await callFrom(await pageOf(allowed), tenant, add)).toEqual(unreadable);
    expect(await exists(tenant, organizationId)).toBe(true);
  });

  it('reads nothing with cookies, or of an operation of workspaces', async () => {
    const tenant = await tenantOfPage();
    const page = await pageOf(allowed);
    expect(await callFrom(page, tenant, { credentials: 'include' })).toEqual(unreadable);
    const { workspaceId, authToken } = tenant.workspace;
    const headers = { 'x-svc-workspace-id': workspaceId, 'x-svc-workspace-auth-token': authToken };
    expect(await callFrom(page, tenant, { path: '/v2/workspace/get', headers })).toEqual(unreadable);
  });

  it('sends one preflight for repeated calls of an operation', async () => {
    const tenant = await tenantOfPage();
    const page = await pageOf(allowed);
    const preflights = () => api.log.filter((line) => line.includes('"status":204')).length;
    const before = preflights();
    for (let call = 0; call < 3; call += 1)
      expect(await callFrom(page, tenant)).toMatchObject({ status: 200 });
    expect(preflights()).toBe(before + 1);
  });
});
