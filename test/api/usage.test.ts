import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../support/api.ts';
import { issuesOf } from '../support/client.ts';
import { signIn } from '../support/console.ts';
import { eventually } from '../support/eventually.ts';
import {
  aDocument,
  aFolder,
  anOperator,
  anOperatorToken,
  anOrganization,
  aTenant,
  activities,
  addActivityLogs,
  calledThrough,
  freshId,
  withActivityLogs,
  type TestTenant,
} from '../support/factories.ts';
import { killed, startProcess } from '../support/processes.ts';
import { statementsOf } from '../support/statements.ts';

const api = await startTestApi();
afterAll(api.close);
const operator = anOperator(api);

interface Period {
  readonly startsAt: number;
  readonly requests: number;
  readonly errors: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly created: Readonly<Record<string, number>>;
}

/** Returns the counters of a key, summed over its periods. */
async function usageOf({ keyId }: TestTenant, by = 'hour'): Promise<Omit<Period, 'startsAt'>> {
  const { data } = await operator.ok<Period[]>('/v2/operator/usage/get', { keyId, by });
  const sum = (value: (period: Period) => number): number =>
    data.reduce((total, period) => total + value(period), 0);
  const kinds = Object.keys(data[0]?.created ?? {});
  return {
    requests: sum(({ requests }) => requests),
    errors: sum(({ errors }) => errors),
    bytesIn: sum(({ bytesIn }) => bytesIn),
    bytesOut: sum(({ bytesOut }) => bytesOut),
    created: Object.fromEntries(kinds.map((kind) => [kind, sum(({ created }) => created[kind] ?? 0)])),
  };
}

describe('usage', () => {
  it('counts requests, errors, bytes and committed rows of a key, and is readable by its workspace', async () => {
    const tenant = await withActivityLogs(await aTenant(api));
    const organizationId = await anOrganization(tenant);
    await anOrganization(tenant, { organizationId });
    const { folderId } = await aFolder(tenant, { organizationId });
    const document = await aDocument(tenant, { organizationId, folderId });
    await tenant.refused('/v2/organizations/add', { organizations: [] });
    // Rolled back, including the organization that it created first.
    await tenant.refused('/v2/organizations/documents/add', {
      organizationId: freshId('organization'),
      folderId: 'missing',
      createOrganization: true,
      documents: [{ documentId: freshId('document') }],
    });
    await addActivityLogs(tenant, document, activities(3));
    const userGroup = { organizationUserGroupId: freshId('group') };
    await tenant.ok('/v2/organizations/usergroups/add', {
      organizationId,
      organizationUserGroups: [userGroup],
    });
    const listed = await tenant.call('/v2/organizations/get', {});
    const expected = { requests: 10, errors: 2 };
    const usage = await eventually(async () => {
      const seen = await usageOf(tenant);
      expect(seen).toMatchObject(expected);
      return seen;
    });
    expect(usage.created).toEqual({
      organizations: 1,
      folders: 1,
      documents: 1,
      users: 1,
      userGroups: 1,
      activityLogs: 3,
      notifications: 0,
      crdtRecords: 0,
      agentExecutions: 0,
      commentAnnotations: 0,
      comments: 0,
      reactions: 0,
      recordings: 0,
    });
    expect(usage.bytesIn).toBeGreaterThan(500);
    expect(usage.bytesOut).toBeGreaterThan(Buffer.byteLength(listed.text));
    expect(await usageOf(tenant, 'day')).toEqual(usage);
    const { data } = await tenant.workspace.ok<Period[]>('/v2/workspace/usage/get', {
      apiKey: tenant.apiKey,
    });
    expect(data.reduce((total, { requests }) => total + requests, 0)).toBe(10);
  });

  it('counts the bytes of a streamed list and of a chunked body', async () => {
    const tenant = await aTenant(api);
    const organizations = Array.from({ length: 1_000 }, () => ({
      organizationId: freshId('organization'),
      note: 'x'.repeat(500),
    }));
    const raw = JSON.stringify({ data: { organizations } });
    await tenant.ok('/v2/organizations/add', undefined, { raw });
    const { text } = await tenant.call('/v1/organizations/get', {});
    expect(text.length).toBeGreaterThan(500_000);
    await eventually(async () => {
      const { bytesIn, bytesOut } = await usageOf(tenant);
      expect(bytesIn).toBe(Buffer.byteLength(raw) + Buffer.byteLength('{"data":{}}'));
      expect(bytesOut).toBeGreaterThan(Buffer.byteLength(text));
    });
  });

  it('counts calls of the console by a key itself, but not by its workspace or an operator', async () => {
    const tenant = await aTenant(api);
    const { workspaceId, authToken } = tenant.workspace;
    const { token } = await anOperatorToken(operator, { actsForKeys: true });
    const byOthers = [
      await signIn(api, { workspaceId, authToken }),
      await signIn(api, { operatorToken: token }),
    ];
    for (const browser of byOthers) await browser.forKey(tenant.keyId).ok('/v2/overview/get');
    const { apiKey } = tenant;
    await (await signIn(api, { apiKey, authToken: tenant.authToken })).ok('/v2/overview/get');
    await eventually(async () => expect((await usageOf(tenant)).requests).toBeGreaterThan(0));
    expect((await usageOf(tenant)).requests).toBe(1);
  });

  it('sends no statement with a request', async () => {
    const tenant = await aTenant(api);
    const organizationId = await anOrganization(tenant);
    const read = async () =>
      (await statementsOf(async () => tenant.ok('/v2/organizations/get', {}))).map(({ text }) => text);
    const texts = [...(await read()), ...(await read())];
    expect(texts.filter((text) => text.includes('usage_'))).toEqual([]);
    expect(organizationId).toBeDefined();
  });

  it('is refused for unknown keys, keys of other workspaces, and ranges that end before they begin', async () => {
    const [mine, theirs] = [await aTenant(api), await aTenant(api)];
    const missing = { http: 404, status: 'NOT_FOUND', message: 'API key not found.' };
    expect(await operator.refused('/v2/operator/usage/get', { keyId: 'akid_none' })).toMatchObject(missing);
    const request = { apiKey: theirs.apiKey };
    expect(await mine.workspace.refused('/v2/workspace/usage/get', request)).toMatchObject(missing);
    const range = { keyId: mine.keyId, from: 2, to: 1 };
    const refusal = await operator.refused('/v2/operator/usage/get', range);
    expect(issuesOf(refusal)).toEqual({ 'data.to': 'to must be after from.' });
  });
});

describe('usage of several processes', () => {
  it('is their sum, without the last seconds of a killed process but with those of a stopped one', async () => {
    const tenant = await aTenant(api);
    const stopping = await startTestApi({ database: api.database });
    const dying = await startProcess('api', api.database.url);
    const call = async (url: string, count: number) => {
      const client = calledThrough({ url }, tenant);
      for (let made = 0; made < count; made += 1) await client.ok('/v2/organizations/get', {});
    };
    await Promise.all([call(api.url, 5), call(stopping.url, 7), call(dying.url, 11)]);
    const written = async (): Promise<number> => (await usageOf(tenant)).requests;
    await eventually(async () => expect(await written()).toBe(23));
    await Promise.all([call(stopping.url, 3), call(dying.url, 2)]);
    await killed(dying);
    await stopping.close();
    const total = await written();
    expect(total).toBeGreaterThanOrEqual(26);
    expect(total).toBeLessThanOrEqual(28);
  });
});
