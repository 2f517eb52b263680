import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { createClient, type Client } from '../../client/create-client.ts';
import { StewardError } from '../../client/steward-error.ts';
import { startTestApi } from '../support/api.ts';
import { operatorToken } from '../support/environment.ts';
import { aTenant, aWorkspace, freshId } from '../support/factories.ts';

const api = await startTestApi();
afterAll(api.close);

type KeyClient = Client<'apiKey'>;

async function aKeyClient(): Promise<KeyClient> {
  const { apiKey, authToken } = await aTenant(api);
  return createClient({ baseUrl: api.url, apiKey, authToken });
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

/** A stand-in for Steward that answers what it is told, in order; the last of it again and again. */
const standIns: Server[] = [];
afterEach(() => {
  for (const server of standIns.splice(0)) server.close();
});

interface Scripted {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function aStandIn(script: readonly Scripted[]) {
  const requests: { readonly at: number; readonly idempotencyKey: unknown }[] = [];
  const server = createServer((request, response) => {
    const { status, body, headers } = script[Math.min(requests.length, script.length - 1)] as Scripted;
    requests.push({ at: performance.now(), idempotencyKey: request.headers['idempotency-key'] });
    request.resume();
    response.writeHead(status, { connection: 'close', ...headers }).end(body);
  });
  standIns.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return {
    requests,
    url: baseUrl,
    client: createClient({ baseUrl, apiKey: 'key', authToken: 'token', retries: 2 }),
  };
}

const away: Scripted = {
  status: 503,
  headers: { 'retry-after': '0' },
  body: JSON.stringify({
    error: {
      status: 'UNAVAILABLE',
      message: 'Service is temporarily unavailable.',
      details: { requestId: 'r' },
    },
  }),
};
const fine: Scripted = {
  status: 200,
  body: JSON.stringify({ result: { status: 'success', message: 'Done.', data: [] } }),
};

describe('the typed client', () => {
  it('returns results with the type of their operation', async () => {
    const client = await aKeyClient();
    const organizationId = freshId('organization');
    const added = await client.call('/v2/organizations/add', {
      organizations: [{ organizationId, organizationName: 'Acme', plan: 'gold' }],
    });
    expect(added.failedCount).toBe(0);
    expect(added.data[organizationId]).toMatchObject({ success: true, id: organizationId });
    const { data } = await client.call('/v2/organizations/get', { organizationIds: [organizationId] });
    expect(data.map(({ id, organizationName, disabled }) => [id, organizationName, disabled])).toEqual([
      [organizationId, 'Acme', false],
    ]);
    const config = await client.call('/v2/workspace/notificationconfig/get');
    expect(config.data.useNotificationService).toBe(false);
  });

  it('returns the error code of a failed item', async () => {
    const client = await aKeyClient();
    const updated = await client.call('/v2/organizations/update', {
      organizations: [{ organizationId: 'nobody', organizationName: 'Nobody' }],
    });
    const item = updated.data['nobody'];
    expect(item?.success === false ? item.code : undefined).toBe('not-found');
  });

  it('sends the credentials of a workspace and of the operator', async () => {
    const operator = createClient({ baseUrl: `${api.url}/`, operatorToken });
    const created = await operator.call('/v2/workspace/create', {
      ownerEmail: 'owner@example.com',
      workspaceName: 'Acme',
    });
    expect(created.status).toBe('success');
    const { workspaceId, authToken } = await aWorkspace(api);
    const workspace = createClient({ baseUrl: api.url, workspaceId, workspaceAuthToken: authToken });
    const { data } = await workspace.call('/v2/workspace/get');
    expect(data).toMatchObject({ id: workspaceId });
  });

  it('throws an error with all details of the response', async () => {
    const client = await aKeyClient();
    const refusal = await rejection(
      client.call('/v2/organizations/documents/get', { organizationId: 'nowhere' }),
    );
    const { status, message, httpStatus, requestId, details } = refusal;
    expect([status, message, httpStatus]).toEqual(['NOT_FOUND', 'Organization does not exist', 404]);
    expect(api.accessLine(requestId)).toMatchObject({ operation: '/v2/organizations/documents/get' });
    expect(details['requestId']).toBe(requestId);
  });

  it('reads a list page by page, and no further than consumed', async () => {
    const client = await aKeyClient();
    const ids = Array.from({ length: 7 }, (_, index) => `organization-${String(index)}`);
    await client.call('/v2/organizations/add', {
      organizations: ids.map((organizationId) => ({ organizationId })),
    });
    const pages: string[][] = [];
    for await (const page of client.pages('/v2/organizations/get', { pageSize: 3 }))
      pages.push(page.data.map(({ id }) => id));
    expect(pages).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)]);
  });

  it('replays under an Idempotency-Key', async () => {
    const client = await aKeyClient();
    const once = () =>
      client.call(
        '/v2/organizations/add',
        { organizations: [{ organizationId: 'one' }] },
        { idempotencyKey: 'k' },
      );
    const [first, second] = [await once(), await once()];
    expect(second).toEqual(first);
  });
});

describe('a transient failure', () => {
  it.each([
    [
      'a read with the option retry',
      (client: KeyClient) => client.call('/v2/organizations/get', {}, { retry: true }),
    ],
    [
      'a write with an idempotency key',
      (client: KeyClient) =>
        client.call('/v2/organizations/delete', { organizationIds: ['a'] }, { idempotencyKey: 'k' }),
    ],
  ])('is tried again by %s, under the same key', async (_, act) => {
    const { requests, client } = await aStandIn([away, away, fine]);
    await expect(act(client)).resolves.toMatchObject({ message: 'Done.' });
    expect(requests).toHaveLength(3);
    expect(new Set(requests.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  });

  it('is not retried by any other call', async () => {
    const { requests, client } = await aStandIn([away, fine]);
    await expect(client.call('/v2/organizations/delete', { organizationIds: ['a'] })).rejects.toMatchObject({
      status: 'UNAVAILABLE',
      httpStatus: 503,
      requestId: 'r',
    });
    await expect(client.call('/v2/organizations/get')).resolves.toMatchObject({ message: 'Done.' });
    expect(requests).toHaveLength(2);
  });

  it('is thrown after the caller’s max retries', async () => {
    const { requests, client } = await aStandIn([away]);
    await expect(client.call('/v2/organizations/get', {}, { retry: true })).rejects.toBeInstanceOf(
      StewardError,
    );
    expect(requests).toHaveLength(3);
  });

  it('is retried after Retry-After, and thrown when that exceeds a minute', async () => {
    const soon = { ...away, headers: { 'retry-after': '1' } };
    const { requests, client } = await aStandIn([soon, { ...away, headers: { 'retry-after': '61' } }, fine]);
    const refusal = await rejection(client.call('/v2/organizations/get', {}, { retry: true }));
    expect(refusal).toMatchObject({ status: 'UNAVAILABLE', retryAfter: 61 });
    const [first, second] = requests.map(({ at }) => at);
    expect(requests).toHaveLength(2);
    expect(Number(second) - Number(first)).toBeGreaterThanOrEqual(990);
  });

  it('is not retried after the caller’s signal aborts', async () => {
    const { requests, client } = await aStandIn([{ ...away, headers: { 'retry-after': '50' } }]);
    const calling = new AbortController();
    const called = client.call('/v2/organizations/get', {}, { retry: true, signal: calling.signal });
    calling.abort(new Error('Enough.'));
    await expect(called).rejects.toThrow('Enough.');
    expect(requests.length).toBeLessThanOrEqual(1);
  });

  it('is not retried after the client’s signal aborts', async () => {
    const { requests, url } = await aStandIn([{ ...away, headers: { 'retry-after': '50' } }]);
    const calling = new AbortController();
    const { signal } = calling;
    const client = createClient({ baseUrl: url, apiKey: 'key', authToken: 'token', signal });
    const own = new AbortController();
    const called = client.call('/v2/organizations/get', {}, { retry: true, signal: own.signal });
    calling.abort(new Error('Enough of all.'));
    await expect(called).rejects.toThrow('Enough of all.');
    await expect(client.call('/v2/organizations/get')).rejects.toThrow('Enough of all.');
    expect(requests.length).toBeLessThanOrEqual(1);
  });

  it('differs from a final error', async () => {
    const body = JSON.stringify({ error: { status: 'NOT_FOUND', message: 'Gone.', details: {} } });
    const { requests, client } = await aStandIn([{ status: 404, body }]);
    await expect(client.call('/v2/organizations/get', {}, { retry: true })).rejects.toThrow('Gone.');
    expect(requests).toHaveLength(1);
  });
});

describe('a server other than Steward', () => {
  it('is UNAVAILABLE with the cause when it does not respond', async () => {
    const client = createClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'key', authToken: 'token' });
    const failure = await rejection(client.call('/v2/organizations/get'));
    expect(failure).toMatchObject({ name: 'StewardError', status: 'UNAVAILABLE', httpStatus: 0 });
    expect(failure.cause).toBeDefined();
  });

  it.each([
    [502, 'UNAVAILABLE'],
    [429, 'RESOURCE_EXHAUSTED'],
    [200, 'INTERNAL'],
  ])('that returns %s without the envelope gives %s', async (status, expected) => {
    const { client } = await aStandIn([{ status, body: '<html>' }]);
    await expect(client.call('/v2/organizations/get')).rejects.toMatchObject({
      status: expected,
      httpStatus: status,
      message: expect.stringMatching(/without an error message/),
    });
  });

  it('cannot redirect the credentials to another address', async () => {
    const elsewhere = await aStandIn([fine]);
    const { client } = await aStandIn([{ status: 307, headers: { location: elsewhere.url }, body: '' }]);
    await expect(client.call('/v2/organizations/get')).rejects.toMatchObject({ httpStatus: 0 });
    expect(elsewhere.requests).toHaveLength(0);
  });
});
