import { createClient } from '../packages/client/source/steward.ts';
import { organizationId } from './tenant.ts';

/**
 * `node bench/client-calls.ts client|fetch|keyed <url> <apiKey> <authToken> <prefix> <calls> <callers>`: adds one
 * document per call with `<callers>` concurrent calls, and prints the CPU microseconds of a call. `keyed` is `fetch`
 * with an Idempotency-Key, as the client sends it. The first calls warm up V8 and do not count.
 */
const [way, url = '', apiKey = '', authToken = '', prefix = '', calls = '', callers = ''] =
  process.argv.slice(2);
const warmUp = 1_500;

const steward = createClient({ baseUrl: url, apiKey, authToken });
const headers = {
  'content-type': 'application/json',
  'x-svc-api-key': apiKey,
  'x-svc-auth-token': authToken,
};

async function addByFetch(documentId: string, more: Readonly<Record<string, string>>): Promise<unknown> {
  const response = await fetch(`${url}/v2/organizations/documents/add`, {
    method: 'POST',
    headers: { ...headers, ...more },
    body: JSON.stringify({ data: { organizationId, documents: [{ documentId }] } }),
  });
  if (!response.ok) throw new Error(`documents/add returned ${String(response.status)}`);
  return await response.json();
}

const ways: Readonly<Record<string, (documentId: string) => Promise<unknown>>> = {
  client: (documentId) => steward.documents.add({ organizationId, documents: [{ documentId }] }),
  fetch: (documentId) => addByFetch(documentId, {}),
  keyed: (documentId) => addByFetch(documentId, { 'idempotency-key': crypto.randomUUID() }),
};

let next = 0;

async function send(amount: number): Promise<void> {
  const add = ways[way ?? ''];
  if (add === undefined) throw new Error('The first parameter is client, fetch or keyed.');
  const end = next + amount;
  const caller = async () => {
    while (next < end) {
      const number = next;
      next += 1;
      await add(`${prefix}-${String(number)}`);
    }
  };
  await Promise.all(Array.from({ length: Number(callers) }, caller));
}

await send(warmUp);
const before = process.cpuUsage();
await send(Number(calls));
const { user, system } = process.cpuUsage(before);
console.log((user + system) / Number(calls));
process.exit(0);
