import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { endpoints } from '../../../../api/endpoints.ts';
import { startTestApi } from '../../../support/api.ts';
import { aTenant, aWorkspace, type TestTenant, type TestWorkspace } from '../../../support/factories.ts';

const api = await startTestApi();
afterAll(api.close);

const page = 'https://app.example.org';
const path = '/v2/organizations/get';

let workspace: TestWorkspace;
let tenant: TestTenant;
beforeAll(async () => {
  workspace = await aWorkspace(api);
  tenant = await aTenant(api, { workspace });
  await tenant.ok('/v2/workspace/domains/add', { domains: ['example.org', '*.example.org'] });
});

const send = async (to: string, method: string, headers: Readonly<Record<string, string>>, body?: string) =>
  await fetch(api.url + to, { method, headers, ...(body !== undefined && { body }) });

const preflight = (to: string, origin = page) =>
  send(to, 'OPTIONS', { origin, 'access-control-request-method': 'POST' });

const credentialsOf = ({ apiKey, authToken }: TestTenant) => ({
  'x-svc-api-key': apiKey,
  'x-svc-auth-token': authToken,
});

/** The headers of a response that concern pages. */
const forPages = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => name === 'vary' || name.startsWith('access-control-')));

const exposed = {
  vary: 'Origin',
  'access-control-allow-origin': page,
  'access-control-expose-headers': expect.stringContaining('X-Request-Id'),
};

describe('a preflight', () => {
  it.each(endpoints.flatMap(({ paths, credentials }) => paths.map((one) => [one, credentials] as const)))(
    'for %s, which needs credentials of kind %s',
    async (to, credentials) => {
      const response = await preflight(to);
      expect([response.status, forPages(response)]).toEqual(
        credentials === 'apiKey'
          ? [
              204,
              {
                'access-control-allow-origin': page,
                'access-control-allow-methods': 'POST',
                'access-control-allow-headers': expect.stringMatching(/X-Svc-Api-Key, X-Svc-Auth-Token/),
                'access-control-max-age': '600',
                vary: 'Origin',
              },
            ]
          : [405, {}],
      );
      expect((await response.text()) === '').toBe(credentials === 'apiKey');
    },
  );

  it('is the same for every origin, with and without a database', async () => {
    const unnamed = 'https://elsewhere.example';
    const { 'access-control-allow-origin': echoed, ...others } = forPages(await preflight(path, unnamed));
    expect(echoed).toBe(unnamed);
    const { 'access-control-allow-origin': _, ...ofPage } = forPages(await preflight(path));
    expect(others).toEqual(ofPage);
    expect((await preflight(path, 'null')).headers.get('access-control-allow-origin')).toBe('null');
  });

  it('of an unknown path is not found', async () => {
    expect((await preflight('/v2/nothing')).status).toBe(404);
  });

  it('with an origin longer than any host is refused, so that the response headers stay small', async () => {
    expect((await preflight(path, `https://${'a'.repeat(8_000)}.example`)).status).toBe(405);
  });

  it('with bytes that no header may repeat is refused, not an error of the server', async () => {
    expect((await preflight(path, 'https://b\u00fccher.example')).status).toBe(405);
  });
});

describe('a call from a page', () => {
  const call = (headers: Readonly<Record<string, string>>, body = '{"data":{}}', to = path) =>
    send(to, 'POST', { 'content-type': 'application/json', ...credentialsOf(tenant), ...headers }, body);

  it('may be read by pages of the domains that the key names', async () => {
    for (const origin of [page, 'https://example.org', 'http://www.example.org:8080']) {
      const response = await call({ origin });
      expect([response.status, forPages(response)]).toEqual([
        200,
        { ...exposed, 'access-control-allow-origin': origin },
      ]);
    }
  });

  it('may be read where it is refused after its credentials were right', async () => {
    for (const [status, body] of [
      [400, '{'],
      [400, '{"data":{"pageSize":"many"}}'],
    ] as const) {
      const response = await call({ origin: page }, body);
      expect([response.status, forPages(response)]).toEqual([status, exposed]);
    }
  });

  it('is refused, without those headers, from another origin', async () => {
    for (const origin of ['https://example.com', 'https://example.org.evil.example', 'null']) {
      const response = await call({ origin });
      expect([response.status, forPages(response)]).toEqual([403, { vary: 'Origin' }]);
    }
  });

  it('has none of those headers without an origin, with wrong credentials, and when the key names no domain', async () => {
    expect(forPages(await call({}))).toEqual({ vary: 'Origin' });
    const wrong = await call({ origin: page, 'x-svc-auth-token': 'wrong' });
    expect([wrong.status, forPages(wrong)]).toEqual([403, { vary: 'Origin' }]);
    const open = await aTenant(api, { workspace });
    const response = await call({ ...credentialsOf(open), origin: page });
    expect([response.status, forPages(response)]).toEqual([200, { vary: 'Origin' }]);
  });

  it('has none of those headers with credentials of a workspace', async () => {
    const response = await send(
      '/v2/workspace/get',
      'POST',
      {
        'x-svc-workspace-id': workspace.workspaceId,
        'x-svc-workspace-auth-token': workspace.authToken,
        'content-type': 'application/json',
        origin: page,
      },
      '{"data":{}}',
    );
    expect(forPages(response)).toEqual({});
  });
});
