import { createClient } from '../packages/client/source/steward.ts';
import { organizationId } from './tenant.ts';

/**
 * `node bench/client-calls.ts client|fetch <url> <apiKey> <authToken> <prefix> <calls>`: adds one document after the
 * other, and prints the CPU microseconds of a call. The first calls, for the compiler of V8, do not count.
 */
const [way, url = '', apiKey = '', authToken = '', prefix = '', calls = ''] = process.argv.slice(2);
const warmUp = 2_000;

const steward = createClient({ baseUrl: url, apiKey, authToken });
const headers = {
  'content-type': 'application/json',
  'x-svc-api-key': apiKey,
  'x-svc-auth-token': authToken,
};

const ways: Readonly<Record<string, (documentId: string) => Promise<unknown>>> = {
  client: (documentId) => steward.documents.add({ organizationId, documents: [{ documentId }] }),
  async fetch(documentId) {
    const body = JSON.stringify({ data: { organizationId, documents: [{ documentId }] } });
    const response = await fetch(`${url}/v2/organizations/documents/add`, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(`documents/add returned ${String(response.status)}`);
    return await response.json();
  },
};

let next = 0;

async function send(amount: number): Promise<void> {
  const add = ways[way ?? ''];
  if (add === undefined) throw new Error('The first parameter is client or fetch.');
  for (const end = next + amount; next < end; next += 1) await add(`${prefix}-${String(next)}`);
}

await send(warmUp);
const before = process.cpuUsage();
await send(Number(calls));
const { user, system } = process.cpuUsage(before);
console.log((user + system) / Number(calls));
process.exit(0);
