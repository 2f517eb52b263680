import type { ConcurrentCalls } from '../http/caller/concurrent-calls.ts';
import { TransportError } from '../http/response/transport-error.ts';

/** Per key, in all API processes: each test holds a connection for up to 15 seconds. */
const maxConcurrentTests = 10;

/**
 * Runs a test of an endpoint. Throws RESOURCE_EXHAUSTED when the key's limit is reached. Once it resolves, the test does
 * not count anymore: the caller's next one is not refused.
 */
export async function withinTests<Result>(
  concurrentCalls: ConcurrentCalls,
  tenantId: string,
  test: () => Promise<Result>,
): Promise<Result> {
  const release = await concurrentCalls.acquire({ kind: 'endpoint_test', tenantId, max: maxConcurrentTests });
  if (release === undefined) {
    const message = `An API key may run at most ${String(maxConcurrentTests)} tests at a time.`;
    throw new TransportError('RESOURCE_EXHAUSTED', message, { headers: { 'Retry-After': '1' } });
  }
  try {
    return await test();
  } finally {
    await release();
  }
}
