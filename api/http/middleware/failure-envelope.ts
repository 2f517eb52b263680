import type { Logger } from '../../../platform/logging/logger.ts';
import { problemOf, problemBody } from '../response/problem.ts';
import { routeName, type RequestMiddleware } from './state.ts';

/** Turns whatever is thrown into the failure envelope; logs bugs whole. */
export function failureEnvelope(logger: Logger): RequestMiddleware {
  return async function failureEnvelope(context, next) {
    try {
      await next();
    } catch (error) {
      const { requestId } = context.state;
      const problem = problemOf(error);
      if (problem.bug) logger.error({ requestId, operation: routeName(context), err: error }, 'a bug');
      context.state.failure = problem.status;
      context.status = problem.httpStatus;
      if (context.headerSent || !context.writable) {
        // After the head has left, only a broken connection shows that the response is not whole.
        context.socket.destroy();
        return;
      }
      context.set(problem.headers);
      context.type = 'application/json; charset=utf-8';
      context.body = problemBody(problem, requestId);
    }
  };
}
