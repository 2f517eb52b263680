import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { whenReady } from '../../local/readiness.ts';

/** The responses of `/readyz`, in order; the last one repeats. */
let responses: object[] = [];
let baseUrl: string;

const api = createServer((_request, response) => {
  const body = (responses.length > 1 ? responses.shift() : responses[0]) ?? {};
  response.writeHead('reasons' in body ? 503 : 200).end(JSON.stringify(body));
});

beforeAll(async () => {
  await once(api.listen(0, '127.0.0.1'), 'listening');
  baseUrl = `http://127.0.0.1:${String((api.address() as AddressInfo).port)}`;
});

afterAll(() => {
  api.close();
  api.closeAllConnections();
});

const notReady = (deletionJournal: string, ...others: string[]) => ({
  reasons: ['The deletion journal …', ...others],
  deletionJournal,
});

it('reports once that the deletion journal differs, and then waits for a ready API', async () => {
  responses = [notReady('unchecked'), notReady('lossy', 'PostgreSQL does not respond in time.')];
  responses.push(notReady('lossy'), notReady('lossy'), notReady('replaying'), { status: 'ready' });
  const seen: number[] = [];
  const whenJournalDiffers = async (): Promise<void> => {
    seen.push(responses.length);
    return Promise.resolve();
  };
  await whenReady(baseUrl, new AbortController().signal, { whenJournalDiffers });
  // Three responses were left when it reported: it does not report before a command is needed.
  expect(seen).toEqual([3]);
});

it('ends when the start is canceled', async () => {
  responses = [notReady('lossy')];
  const canceling = new AbortController();
  const whenJournalDiffers = async (): Promise<void> =>
    Promise.resolve(canceling.abort(new Error('Canceled.')));
  await expect(whenReady(baseUrl, canceling.signal, { whenJournalDiffers })).rejects.toThrow('Canceled.');
});
