import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../support/api.ts';
import { aDocument, anOrganization, aTenant, type TestTenant } from '../support/factories.ts';
import { pageBlocks } from '../support/page-blocks.ts';

const api = await startTestApi();
afterAll(api.close);

const blocks = await pageBlocks('permissions');

/** The function `call` of docs/getting-started.md, which the page uses, with variables of the test. */
const definition = (await pageBlocks('getting-started'))
  .find(({ text }) => text.includes('call() {'))
  ?.text.replace(/^demo\(\).*\n.*\n/, 'api="$TEST_URL" key="$TEST_API_KEY" token="$TEST_AUTH_TOKEN"\n');

/** Returns the page's call with this path, as a reader would paste it. */
async function pasted(tenant: TestTenant, path: string): Promise<{ readonly result: { data: unknown } }> {
  const call = blocks.find(({ language, text }) => language === 'sh' && text.includes(path));
  const { stdout } = await promisify(execFile)('sh', ['-c', `${definition ?? ''}${call?.text ?? ''}`], {
    env: {
      ...process.env,
      TEST_URL: api.url,
      TEST_API_KEY: tenant.apiKey,
      TEST_AUTH_TOKEN: tenant.authToken,
    },
  });
  return JSON.parse(stdout) as { result: { data: unknown } };
}

/** A tenant with the organization and the documents that the page names. */
async function theTenant(): Promise<TestTenant> {
  const tenant = await aTenant(api);
  await anOrganization(tenant, { organizationId: 'acme' });
  await aDocument(tenant, { organizationId: 'acme', documentId: 'plan', accessType: 'public' });
  await aDocument(tenant, { organizationId: 'acme', documentId: 'notes' });
  return tenant;
}

const reasonOf = async (tenant: TestTenant, documentId: string): Promise<string> => {
  const { data } = await tenant.ok<{ reason: string }[]>('/v2/auth/permissions/check', {
    userId: 'ada',
    resources: [{ type: 'document', id: documentId, organizationId: 'acme' }],
  });
  return data[0]?.reason ?? 'none';
};

describe('docs/permissions.md', () => {
  it('opens with the default access', async () => {
    const { data } = await (await theTenant()).ok('/v2/workspace/apikeyconfig/get');
    expect(data).toMatchObject({ defaultDocumentAccessType: 'public', defaultFolderAccessType: 'public' });
  });

  it('shows the response of `explain` as it is', async () => {
    const shown = blocks.find(({ language }) => language === 'json')?.text ?? '';
    const { result } = await pasted(await theTenant(), '/v2/auth/permissions/check');
    expect(result.data).toEqual([JSON.parse(shown)]);
  });

  it('has calls that restrict the default, restrict a document, and grant access', async () => {
    const tenant = await theTenant();
    await pasted(tenant, '/v2/workspace/apikeyconfig/update');
    expect(await reasonOf(tenant, 'notes')).toBe('restricted');
    expect(await reasonOf(tenant, 'plan')).toBe('public');
    await pasted(tenant, '/v2/organizations/documents/access/update');
    expect(await reasonOf(tenant, 'plan')).toBe('restricted');
    await pasted(tenant, '/v2/auth/permissions/add');
    expect(await reasonOf(tenant, 'plan')).toBe('grant');
  });
});
