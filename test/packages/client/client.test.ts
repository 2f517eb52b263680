import { afterAll, describe, expect, it } from '@jest/globals';
import {
  createClient,
  NotFoundError,
  StewardError,
  type ApiKeyClient,
  InvalidArgumentError,
} from '../../../packages/client/source/steward.ts';
import { startTestApi } from '../../support/api.ts';
import { operatorToken } from '../../support/environment.ts';
import { aTenant, aWorkspace, freshId } from '../../support/factories.ts';

const api = await startTestApi();
afterAll(api.close);

async function aKeyClient(): Promise<ApiKeyClient> {
  const { apiKey, authToken } = await aTenant(api);
  return createClient({ baseUrl: api.url, apiKey, authToken });
}

interface SentRequest {
  readonly path: string;
  readonly data: unknown;
}

/** A client, and the requests that it has sent so far. */
async function aWatchedClient() {
  const { apiKey, authToken } = await aTenant(api);
  const sent: SentRequest[] = [];
  const noting = async (url: string, init: RequestInit): Promise<Response> => {
    const { data } = JSON.parse(init.body as string) as { readonly data: unknown };
    sent.push({ path: new URL(url).pathname, data });
    return fetch(url, init);
  };
  return {
    sent,
    client: createClient({ baseUrl: api.url, apiKey, authToken, fetch: noting as typeof fetch }),
  };
}

/** The failure of a call that must fail. */
async function rejection(call: Promise<unknown>): Promise<StewardError> {
  const failure: unknown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failure instanceof StewardError) return failure;
  throw new Error('It did not fail with a StewardError.', { cause: failure });
}

describe('the typed client', () => {
  it('returns results with the type of their operation', async () => {
    const client = await aKeyClient();
    const organizationId = freshId('organization');
    const added = await client.organizations.add({
      organizations: [{ organizationId, organizationName: 'Acme', plan: 'gold' }],
    });
    expect(added.failedCount).toBe(0);
    expect(added.data[organizationId]).toMatchObject({ success: true, id: organizationId });
    const { data } = await client.organizations.get({ organizationIds: [organizationId] });
    expect(data.map(({ id, organizationName, disabled }) => [id, organizationName, disabled])).toEqual([
      [organizationId, 'Acme', false],
    ]);
    const config = await client.workspace.notificationConfig.get();
    expect(config.data.useNotificationService).toBe(false);
  });

  it('returns the error code of a failed item', async () => {
    const client = await aKeyClient();
    const updated = await client.organizations.update({
      organizations: [{ organizationId: 'nobody', organizationName: 'Nobody' }],
    });
    expect(updated.data['nobody']).toMatchObject({ success: false, code: 'not-found' });
  });

  it('sends the credentials of a workspace and of the operator', async () => {
    const operator = createClient({ baseUrl: `${api.url}/`, operatorToken });
    const created = await operator.workspace.create({
      ownerEmail: 'owner@example.com',
      workspaceName: 'Acme',
    });
    expect(created.status).toBe('success');
    const { workspaceId, authToken } = await aWorkspace(api);
    const workspace = createClient({ baseUrl: api.url, workspaceId, workspaceAuthToken: authToken });
    const { data } = await workspace.workspace.get();
    expect(data).toMatchObject({ id: workspaceId });
  });

  it('throws an error with all details of the response', async () => {
    const client = await aKeyClient();
    const refusal = await rejection(client.documents.get({ organizationId: 'nowhere' }));
    const { status, message, httpStatus, requestId, details } = refusal;
    expect([status, message, httpStatus]).toEqual(['NOT_FOUND', 'Organization does not exist', 404]);
    expect(api.accessLine(requestId)).toMatchObject({ operation: '/v2/organizations/documents/get' });
    expect(details['requestId']).toBe(requestId);
    expect(refusal).toBeInstanceOf(NotFoundError);
    expect(refusal.name).toBe('NotFoundError');
  });

  it('throws the issues of an invalid request', async () => {
    const client = await aKeyClient();
    const refusal = await rejection(client.documents.add({ organizationId: 'acme', documents: [] }));
    expect(refusal).toBeInstanceOf(InvalidArgumentError);
    expect(refusal.issues.map(({ path }) => path)).toEqual(['data.documents']);
  });

  it('calls an operation by its path', async () => {
    const client = await aKeyClient();
    await expect(client.request('/v2/organizations/get')).resolves.toMatchObject({ data: [] });
    await expect(client.request('/v2/organizations/rename')).rejects.toBeInstanceOf(StewardError);
  });

  it('sends the caller’s request id and names the program', async () => {
    const { apiKey, authToken } = await aTenant(api);
    const client = createClient({ baseUrl: api.url, apiKey, authToken, userAgent: 'importer/7' });
    const requestId = freshId('request');
    await client.organizations.get({}, { requestId });
    expect(api.accessLine(requestId)).toMatchObject({ operation: '/v2/organizations/get' });
  });

  it('replays a call with the same idempotency key', async () => {
    const client = await aKeyClient();
    const once = () =>
      client.organizations.add({ organizations: [{ organizationId: 'one' }] }, { idempotencyKey: 'k' });
    const [first, second] = [await once(), await once()];
    expect(second).toEqual(first);
  });

  it('sends each write with a new key', async () => {
    const client = await aKeyClient();
    const once = () => client.agents.executions.add({ agentId: 'summarizer' });
    const [first, second] = [await once(), await once()];
    expect(first.data.id).not.toBe(second.data.id);
  });
});

describe('a list', () => {
  const ids = Array.from({ length: 7 }, (_, index) => `organization-${String(index)}`);
  const organizations = ids.map((organizationId) => ({ organizationId }));

  it('is awaited for its first page, and iterated by pages or items', async () => {
    const client = await aKeyClient();
    await client.organizations.add({ organizations });
    const list = client.organizations.get({ pageSize: 3 });
    const first = await list;
    expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 3));
    const pages: string[][] = [];
    for await (const page of list.pages()) pages.push(page.data.map(({ id }) => id));
    expect(pages).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)]);
    const items: string[] = [];
    for await (const { id } of client.organizations.get({ pageSize: 2 })) items.push(id);
    expect(items).toEqual(ids);
  });

  it('by groups is iterated by the items of all groups', async () => {
    const client = await aKeyClient();
    await client.documents.add({
      organizationId: 'acme',
      createOrganization: true,
      documents: ['plan', 'draft'].map((documentId) => ({ documentId })),
    });
    for (const documentId of ['plan', 'draft']) {
      await client.users.add({ organizationId: 'acme', documentId, users: [{ userId: `of-${documentId}` }] });
    }
    const request = { organizationId: 'acme', groupByDocumentId: true, allDocuments: true, pageSize: 1 };
    const items: string[] = [];
    for await (const { userId } of client.users.get(request)) items.push(userId);
    expect(items.toSorted()).toEqual(['of-draft', 'of-plan']);
  });

  it('with cursors or iterators is read in the same way', async () => {
    const client = await aKeyClient();
    await client.organizations.add({ organizations: [{ organizationId: 'acme' }] });
    for (const agentId of ['one', 'two', 'three'])
      await client.agents.executions.add({ agentId, organizationId: 'acme' });
    const agents: string[] = [];
    for await (const { agentId } of client.agents.executions.list({ pageSize: 2 })) agents.push(agentId);
    expect(agents.toSorted()).toEqual(['one', 'three', 'two']);
    const { nextCursor: pageToken } = await client.agents.executions.list({ pageSize: 1 });
    const saved: string[] = [];
    for await (const { agentId } of client.agents.executions.list({ pageSize: 1, pageToken }))
      saved.push(agentId);
    expect(saved).toEqual(agents.slice(1));
    await client.workspace.advancedWebhookConfig.update({ isEnabled: true });
    const urls = ['a', 'b', 'c'].map((path) => `https://hooks.example.com/${path}`);
    for (const url of urls) await client.workspace.advancedWebhook.endpoints.create({ url });
    const found: string[] = [];
    const endpoints = client.workspace.advancedWebhook.endpoints.get({ limit: 2 });
    for await (const { url } of endpoints) found.push(url);
    expect(found.toSorted()).toEqual(urls);
  });

  it('that is returned whole without pageSize is iterated in pages', async () => {
    const { client, sent } = await aWatchedClient();
    const organizationId = 'acme';
    const folders = ['a', 'b', 'c'].map((folderId) => ({ folderId }));
    await client.folders.add({ organizationId, createOrganization: true, folders });
    await client.documents.add({ organizationId, documents: [{ documentId: 'plan' }] });
    sent.length = 0;
    const list = client.folders.get({ organizationId });
    const found: string[] = [];
    for await (const { folderId } of list) found.push(folderId);
    expect(found).toEqual(['a', 'b', 'c']);
    expect((await list).data).toHaveLength(3);
    for await (const { folderId } of list) found.push(folderId);
    expect(found).toHaveLength(6);
    const requested = [{ pageSize: 2 }, { folderId: 'root' }];
    for (const own of requested)
      for await (const { folderId } of client.folders.get({ organizationId, ...own })) found.push(folderId);
    expect(found).toHaveLength(12);
    const document = { organizationId, documentId: 'plan' };
    for await (const { id } of client.crdt.get(document)) found.push(id);
    expect(sent.map(({ data }) => data)).toEqual([
      { organizationId, pageSize: 1_000 },
      { organizationId },
      { organizationId, pageSize: 2 },
      { organizationId, pageSize: 2, pageToken: expect.any(String) },
      { organizationId, folderId: 'root' },
      { ...document, pageSize: 1_000 },
    ]);
  });

  it('whose pages hold several lists is iterated by pages', async () => {
    const client = await aKeyClient();
    await client.organizations.add({ organizations: [{ organizationId: 'acme' }] });
    await client.users.add({ organizationId: 'acme', users: [{ userId: 'ada' }] });
    const names: string[] = [];
    for await (const { data } of client.users.data.get({ organizationId: 'acme', userId: 'ada' }).pages())
      names.push(...Object.keys(data));
    expect(names).toContain('memberships');
  });

  it('sends nothing before it is consumed', async () => {
    const { client, sent } = await aWatchedClient();
    const [list, pages] = [client.organizations.get(), client.organizations.get().pages()];
    await client.agents.executions.list();
    expect(sent.map(({ path }) => path)).toEqual(['/v2/agents/execution/list']);
    await list;
    for await (const { data } of pages) expect(data).toEqual([]);
    expect(sent.slice(1).map(({ path }) => path)).toEqual(['/v2/organizations/get', '/v2/organizations/get']);
  });
});

describe('an export', () => {
  it('is a stream of lines', async () => {
    const { workspaceId, authToken } = await aWorkspace(api);
    const client = createClient({ baseUrl: api.url, workspaceId, workspaceAuthToken: authToken });
    await client.workspace.apiKeys.create({ ownerEmail: 'owner@example.com', type: 'testing' });
    const text = await new Response(await client.workspace.auditLog.export({})).text();
    const entries = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly action: string });
    expect(entries.map(({ action }) => action)).toEqual(['audit_log.export', 'key.create']);
  });

  it('throws when it is refused', async () => {
    const client = createClient({ baseUrl: api.url, workspaceId: 'nobody', workspaceAuthToken: 'wrong' });
    await expect(client.workspace.auditLog.export({})).rejects.toMatchObject({ status: 'PERMISSION_DENIED' });
  });
});

describe('jobs.wait', () => {
  it('reports progress and returns the job that has ended', async () => {
    const client = await aKeyClient();
    const { data } = await client.users.data.delete({ userIds: ['ada'] });
    const states: string[] = [];
    const waiting = client.jobs.wait(data.jobId, { onProgress: ({ status }) => states.push(status) });
    await client.jobs.cancel({ jobId: data.jobId });
    const job = await waiting;
    expect(job.completedAt).not.toBeNull();
    expect(states.at(-1)).toBe(job.status);
  });

  it('ends when its signal aborts', async () => {
    const client = await aKeyClient();
    const { data } = await client.users.data.delete({ userIds: ['ada'] });
    const waiting = new AbortController();
    const waited = client.jobs.wait(data.jobId, {
      signal: waiting.signal,
      onProgress: () => waiting.abort(new Error('Enough.')),
    });
    await expect(waited).rejects.toThrow('Enough.');
  });

  it('ends at once when the signal of its client aborts', async () => {
    const { apiKey, authToken } = await aTenant(api);
    const closing = new AbortController();
    const client = createClient({ baseUrl: api.url, apiKey, authToken, signal: closing.signal });
    const { data } = await client.users.data.delete({ userIds: ['ada'] });
    const reads: number[] = [];
    const waited = client.jobs.wait(data.jobId, {
      onProgress: () => {
        reads.push(performance.now());
        closing.abort(new Error('Enough.'));
      },
    });
    await expect(waited).rejects.toThrow('Enough.');
    expect(reads).toHaveLength(1);
  });
});
