import type { Logger } from '../../../platform/logging/logger.ts';
import type { IsDeclared } from '../declared-failures.ts';
import { problemBody, problemOf } from '../response/problem.ts';
import { routeName, type RequestMiddleware } from './state.ts';

/** Turns whatever is thrown into the failure envelope. Logs bugs whole, and failures that the operation does not declare. */
export function failureEnvelope(logger: Logger, isDeclared: IsDeclared): RequestMiddleware {
  return async function failureEnvelope(context, next) {
    try {
      await next();
    } catch (error) {
      const { requestId } = context.state;
      const problem = problemOf(error);
      if (problem.bug)
        logger.error({ requestId, operation: routeName(context), err: error }, 'unexpected error');
      context.state.failure = problem.status;
      context.status = problem.httpStatus;
      if (context.headerSent || !context.writable) {
        // After the head has left, only a broken connection shows that the response is not whole.
        context.socket.destroy();
        return;
      }
      const operation = routeName(context);
      const { status, httpStatus } = problem;
      // Other methods are refused for the path, not by its operation.
      if (operation !== undefined && context.method === 'POST' && !isDeclared(operation, httpStatus, status))
        logger.error({ requestId, operation, status, httpStatus }, 'undeclared error status');
      context.set(problem.headers);
      context.type = 'application/json; charset=utf-8';
      context.body = problemBody(problem, requestId);
    }
  };
}
