import type { UsageMeter } from '../../../domain/usage/usage-meter.ts';
import type { RequestMiddleware } from './state.ts';

/**
 * Counts each request of an API key, and the bytes of its bodies, once the response is ready or streamed. In the console,
 * a workspace or an operator calls operations for a key: the key's customer is not billed for these.
 */
export function usage(meter: Pick<UsageMeter, 'count'>): RequestMiddleware {
  return async function usage(context, next) {
    await next();
    const { authenticated, session, failure, bytes = 0, streamedBytes } = context.state;
    if (authenticated?.scope.kind !== 'apiKey') return;
    if (session !== undefined && session.kind !== 'apiKey') return;
    meter.count(authenticated.scope.ownerId, {
      requests: 1,
      errors: failure === undefined ? 0 : 1,
      bytesIn: bytes,
      bytesOut: streamedBytes ?? context.length ?? 0,
    });
  };
}
