import type { ErrorStatus } from '../../../domain/errors.ts';
import type { Logger } from '../../../platform/logging/logger.ts';
import type { IsDeclared } from '../declared-failures.ts';
import { problemBody, problemOf } from '../response/problem.ts';
import { endHandling } from '../response/streaming-writer.ts';
import { routeName, type RequestContext, type RequestMiddleware } from './state.ts';

/** Converts thrown errors to the failure envelope. Logs unexpected errors and failures that the operation does not declare. */
export function failureEnvelope(logger: Logger, isDeclared: IsDeclared): RequestMiddleware {
  return async function failureEnvelope(context, next) {
    try {
      await next();
      // A refusal that is stored for an Idempotency-Key is not thrown.
      const { failure } = context.state;
      if (failure !== undefined) reportUndeclared(context, failure, context.status);
    } catch (error) {
      const { requestId } = context.state;
      const problem = problemOf(error);
      if (problem.unexpected)
        logger.error({ requestId, operation: routeName(context), err: error }, 'unexpected error');
      context.state.failure = problem.status;
      if (problem.refusal !== undefined) context.state.refusal = problem.refusal;
      context.status = problem.httpStatus;
      if (context.headerSent || !context.writable) {
        // The head has been sent, so only a broken connection shows that the response is incomplete.
        context.socket.destroy();
        return;
      }
      reportUndeclared(context, problem.status, problem.httpStatus);
      context.set(problem.headers);
      context.type = 'application/json; charset=utf-8';
      context.body = problemBody(problem, requestId);
    } finally {
      endHandling(context);
    }
  };

  function reportUndeclared(context: RequestContext, status: ErrorStatus, httpStatus: number): void {
    const { requestId } = context.state;
    const operation = routeName(context);
    // A path refuses methods other than POST, so its operation need not declare those failures.
    if (operation !== undefined && context.method === 'POST' && !isDeclared(operation, httpStatus, status))
      logger.error({ requestId, operation, status, httpStatus }, 'undeclared error status');
  }
}
