import { logContext } from '../../../platform/logging/log-context.ts';
import type { Tracing } from '../../../platform/tracing/spans.ts';
import { routeName, type RequestMiddleware } from './state.ts';

/** Runs each call of an operation in a server span named after it, a child of the caller's `traceparent`. */
export function traced(tracing: Tracing): RequestMiddleware {
  return async function traced(context, next) {
    const { method, state } = context;
    if (method !== 'POST') return next();
    const call = {
      name: method,
      kind: 'server',
      traceparent: context.get('traceparent'),
      tracestate: context.get('tracestate'),
      attributes: { 'http.request.method': method, 'steward.request_id': state.requestId },
    } as const;
    await tracing.run(call, async (span) => {
      await logContext.run({ traceId: span.traceId }, next);
      const { failure, callerId } = state;
      const operation = routeName(context);
      if (operation !== undefined) {
        span.rename(`${method} ${operation}`);
        span.describe({ 'http.route': operation });
      }
      span.describe({ 'http.response.status_code': context.status });
      if (callerId !== undefined) span.describe({ 'steward.key_id': callerId });
      if (failure !== undefined && context.status >= 500) span.fail(failure);
    });
  };
}
