import type { Logger } from '../../../platform/logging/logger.ts';
import { routeName, type RequestMiddleware } from './state.ts';

/** Logs one line a request, when its response is ready or, where it is streamed, has been sent. */
export function accessLog(logger: Logger): RequestMiddleware {
  // Its lines have known members, none of them a secret: looking for some in each would cost more than the line.
  const lines = logger.child({}, { redact: [] });
  return async function accessLog(context, next) {
    const started = performance.now();
    await next();
    if (!lines.isLevelEnabled('info')) return;
    const { requestId, keyId, failure, replayed } = context.state;
    lines.info(
      {
        requestId,
        method: context.method,
        operation: routeName(context) ?? 'unknown',
        status: context.status,
        durationMs: Math.round((performance.now() - started) * 10) / 10,
        ...(keyId !== undefined && { keyId }),
        ...(failure !== undefined && { failure }),
        ...(replayed === true && { replayed }),
      },
      'request',
    );
  };
}
