import type { Logger } from '../../../platform/logging/logger.ts';
import { routeName, type RequestMiddleware } from './state.ts';

/** Logs one line per request, once its response is ready. A streamed response is logged once it has been sent. */
export function accessLog(logger: Logger): RequestMiddleware {
  // The fields are fixed and hold no secrets. Redaction would cost more than writing the line.
  const lines = logger.child({}, { redact: [] });
  return async function accessLog(context, next) {
    const started = performance.now();
    await next();
    if (!lines.isLevelEnabled('info')) return;
    const { requestId, address, keyId, failure, replayed } = context.state;
    lines.info(
      {
        requestId,
        method: context.method,
        operation: routeName(context) ?? 'unknown',
        status: context.status,
        durationMs: Math.round((performance.now() - started) * 10) / 10,
        address,
        ...(keyId !== undefined && { keyId }),
        ...(failure !== undefined && { failure }),
        ...(replayed === true && { replayed }),
      },
      'request',
    );
  };
}
