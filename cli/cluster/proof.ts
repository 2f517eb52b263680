import { setTimeout as pause } from 'node:timers/promises';
import { StartFailure } from '../../local/start-failure.ts';

/**
 * Creates a tenant on one API, a document on the other, and migrates the document to a new id. Either worker runs the
 * workflow, and both APIs read its status. Throws when a call fails or `signal` aborts.
 */
export async function proveCluster(
  baseUrls: readonly string[],
  operatorToken: string,
  signal: AbortSignal,
): Promise<void> {
  const [one = '', other = one] = baseUrls;
  const call = callUntil(signal);
  const workspace = await call(
    one,
    '/v2/workspace/create',
    { 'x-svc-operator-token': operatorToken },
    {
      ownerEmail: 'cluster@example.com',
      workspaceName: 'Cluster',
    },
  );
  const key = await call(
    other,
    '/v2/workspace/apikey/create',
    {
      'x-svc-workspace-id': text(workspace, 'id'),
      'x-svc-workspace-auth-token': text(workspace, 'authToken'),
    },
    { ownerEmail: 'cluster@example.com', type: 'testing', createAuthToken: true },
  );
  const headers = { 'x-svc-api-key': text(key, 'apiKey'), 'x-svc-auth-token': text(key, 'authToken') };
  const organizationId = 'acme';
  await call(one, '/v2/organizations/add', headers, {
    organizations: [{ organizationId, organizationName: 'Acme' }],
  });
  await call(other, '/v2/organizations/documents/add', headers, {
    organizationId,
    documents: [{ documentId: 'draft' }],
  });
  const { migrationId } = object(
    await call(one, '/v2/organizations/documents/migrate', headers, {
      organizationId,
      documentId: 'draft',
      newDocumentId: 'final',
    }),
  );
  const until = Date.now() + 600_000;
  for (;;) {
    const migration = await call(other, '/v2/organizations/documents/migrate/status', headers, {
      organizationId,
      migrationId,
    });
    const status = text(migration, 'status');
    if (status === 'completed') return;
    if (status === 'failed' || Date.now() > until) throw new StartFailure(`The migration is ${status}.`);
    await pause(100, undefined, { signal });
  }
}

const callUntil =
  (signal: AbortSignal) =>
  async (baseUrl: string, path: string, headers: Record<string, string>, data: object): Promise<unknown> => {
    const response = await fetch(baseUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ data }),
      signal,
    });
    const body: unknown = await response.json();
    if (!response.ok) throw new StartFailure(`${path} returned ${response.status}: ${JSON.stringify(body)}`);
    return Reflect.get(object(Reflect.get(object(body), 'result')), 'data');
  };

function object(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function text(value: unknown, name: string): string {
  return String(object(value)[name]);
}
