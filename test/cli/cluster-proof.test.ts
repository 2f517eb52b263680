import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, it } from '@jest/globals';
import { proveCluster } from '../../cli/cluster/proof.ts';

/** An API whose migrations never end. */
const seen = new Set<string>();
let statusRead = (): void => undefined;
const api = createServer((request, response) => {
  const { url = '' } = request;
  // The second one shows that the proof waits.
  if (seen.has(url) && url.endsWith('/migrate/status')) statusRead();
  seen.add(url);
  response.end(JSON.stringify({ result: { data: { status: 'running' } } }));
});
api.listen(0, '127.0.0.1');
await once(api, 'listening');
afterAll(() => void api.close());

it('the proof of npm run cluster ends on Ctrl-C, also while it waits for its migration', async () => {
  const stopRequest = new AbortController();
  const waiting = new Promise<void>((resolve) => (statusRead = resolve));
  const url = `http://127.0.0.1:${String((api.address() as AddressInfo).port)}`;
  const proof = proveCluster([url, url], 'operator', stopRequest.signal);
  await waiting;
  stopRequest.abort(new Error('The cluster is stopping.'));
  await expect(proof).rejects.toThrow(/abort|stopping/);
  expect(seen).toContain('/v2/organizations/documents/migrate/status');
});
