import type { Logger } from '../../../platform/logging/logger.ts';
import type { RequestMetrics } from '../request-metrics.ts';
import { routeName, type RequestMiddleware } from './state.ts';

/** Paths that load balancers and orchestrators call several times a second. */
const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/**
 * Logs one line per request when its response is ready; for a streamed response, when it has been sent. Logs one in
 * `sampling` successful requests (2xx), chosen at random, and no successful probe. Counts every request in `metrics`
 * itself: another middleware would cost as much as the counting.
 */
export function accessLog(
  logger: Logger,
  sampling: number,
  metrics: RequestMetrics | undefined,
): RequestMiddleware {
  // The fields are fixed and contain no secrets. Redaction would cost more than writing the line.
  const lines = logger.child({}, { redact: [], level: 'info' });
  return async function accessLog(context, next) {
    const started = performance.now();
    await next();
    const operation = routeName(context) ?? 'unknown';
    const durationMs = performance.now() - started;
    metrics?.record(operation, context.status, durationMs / 1_000, context.state.refusal);
    if (!logger.isLevelEnabled('info')) return;
    const { requestId, address, failure, replayed, bytes = 0, streamedBytes } = context.state;
    const { callerId: keyId, session } = context.state;
    const sessionId = session?.id;
    if (context.status < 300) {
      if (probes.has(operation)) return;
      if (sampling > 1 && Math.random() * sampling >= 1) return;
    }
    lines.info(
      {
        requestId,
        method: context.method,
        operation,
        status: context.status,
        durationMs: Math.round(durationMs * 10) / 10,
        bytesIn: bytes,
        bytesOut: streamedBytes ?? context.length ?? 0,
        address,
        ...(keyId !== undefined && { keyId }),
        ...(sessionId !== undefined && { sessionId }),
        ...(failure !== undefined && { failure }),
        ...(replayed === true && { replayed }),
      },
      'request',
    );
  };
}
