import type { RequestMetrics } from '../request-metrics.ts';
import { routeName, type RequestMiddleware } from './state.ts';

/** Records each request once its response is ready; a streamed one once it has been sent. */
export function requestMetrics(metrics: RequestMetrics): RequestMiddleware {
  return async function requestMetrics(context, next) {
    const started = performance.now();
    await next();
    metrics.record({
      operation: routeName(context) ?? 'unknown',
      status: context.status,
      seconds: (performance.now() - started) / 1_000,
      refusal: context.state.refusal,
    });
  };
}
