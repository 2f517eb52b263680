import { createClient, type ApiKeyClient, type ClientOptions } from '@steward/client';
import { csrfHeader } from './session.ts';

/** Sends a session's cookie instead of credentials, and names the API key by its public id. */
const sessionFetch =
  (keyId?: string): typeof fetch =>
  (input, init) => {
    const given = [...new Headers(init?.headers)];
    const headers = new Headers(given.filter(([name]) => !name.startsWith('x-svc-')));
    headers.set(...csrfHeader());
    if (keyId !== undefined) headers.set('x-console-key', keyId);
    return fetch(input, { ...init, headers, credentials: 'same-origin' });
  };

/** One attempt per call: queries retry on their own and show that they do. */
const options = (keyId?: string): ClientOptions => ({
  baseUrl: '/console/api',
  maxAttempts: 1,
  timeoutMs: 30_000,
  fetch: sessionFetch(keyId),
});

const clients = new Map<string, ApiKeyClient>();

/** Operations of one API key, named by its public id. */
export function clientOfKey(keyId: string): ApiKeyClient {
  const known = clients.get(keyId);
  if (known !== undefined) return known;
  const client = createClient({ ...options(keyId), apiKey: '', authToken: '' });
  clients.set(keyId, client);
  return client;
}

/** Operations of the signed-in workspace. */
export const workspaceClient = createClient({ ...options(), workspaceId: '', workspaceAuthToken: '' });

/** Operations of the signed-in operator. */
export const operatorClient = createClient({ ...options(), operatorToken: '' });
