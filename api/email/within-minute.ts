import type { LimitedKind } from '../../domain/limits/limited-call.entity.ts';
import type { ConcurrentCalls } from '../http/caller/concurrent-calls.ts';
import { httpMessages } from '../http/messages.ts';
import { TransportError } from '../http/response/transport-error.ts';

/** Max test messages of a key per minute, over all API processes. */
const maxPerMinute = 10;

const seconds = 60;

/** Counts a test message, or throws RESOURCE_EXHAUSTED. A call counts for a minute, unless its process ends before. */
export async function withinMinute(
  concurrentCalls: ConcurrentCalls,
  tenantId: string,
  kind: Extract<LimitedKind, 'email_test' | 'slack_test'>,
): Promise<void> {
  const release = await concurrentCalls.acquire({ kind, tenantId, max: maxPerMinute });
  if (release === undefined)
    throw new TransportError('RESOURCE_EXHAUSTED', httpMessages.rateLimit(seconds), {
      headers: { 'Retry-After': String(seconds) },
    });
  setTimeout(() => void release(), seconds * 1_000).unref();
}
