import { aborted, DomainError, invalidMember, unavailable } from '../../domain/errors.ts';
import { messages } from '../../domain/messages.ts';
import type { DeclaredFailure } from '../http/declared-failures.ts';
import { httpMessages } from '../http/messages.ts';
import { problemBody, problemOf } from '../http/response/problem.ts';
import { statuses } from '../http/response/statuses.ts';
import { TransportError } from '../http/response/transport-error.ts';

const requestId = 'req_0123456789abcdefghijABCDEFGHIJ01';

/** One failure of each error status, as operations throw it. */
const typical: Readonly<Record<DeclaredFailure['status'], DomainError>> = {
  INVALID_ARGUMENT: invalidMember('organizationId', 'organizationId is required.'),
  FAILED_PRECONDITION: new DomainError('FAILED_PRECONDITION', messages.activityLogsOff),
  UNAUTHENTICATED: new TransportError('UNAUTHENTICATED', httpMessages.apiKeyHeaderMissing),
  PERMISSION_DENIED: new TransportError('PERMISSION_DENIED', httpMessages.invalidApiKey),
  NOT_FOUND: new DomainError('NOT_FOUND', messages.documentMissing),
  ALREADY_EXISTS: new DomainError('ALREADY_EXISTS', messages.migrationTaken),
  ABORTED: aborted(),
  RESOURCE_EXHAUSTED: new TransportError('RESOURCE_EXHAUSTED', httpMessages.rateLimit(1)),
  CANCELLED: new TransportError('CANCELLED', httpMessages.bodyCutShort),
  INTERNAL: new TransportError('INTERNAL', httpMessages.internal),
  UNIMPLEMENTED: new TransportError('UNIMPLEMENTED', httpMessages.usePost),
  UNAVAILABLE: unavailable(),
  DEADLINE_EXCEEDED: new DomainError('DEADLINE_EXCEEDED', messages.deadline),
};

const invalid = (message: string) => new TransportError('INVALID_ARGUMENT', message);

/** Failures of the HTTP layer whose HTTP status is not the default of their error status. */
const byHttpStatus: Readonly<Record<number, DomainError>> = {
  408: new TransportError('DEADLINE_EXCEEDED', httpMessages.bodyTooSlow(20)),
  413: invalid(httpMessages.bodyTooLarge(1)),
  415: invalid(httpMessages.bodyNotPlain),
  417: invalid(httpMessages.expectationNotMet),
  422: invalid(httpMessages.idempotencyKeyOtherBody),
  431: invalid(httpMessages.headersTooLarge),
};

/** Returns the body of one such failure. */
export function failureExample({ http, status }: DeclaredFailure): unknown {
  const hasExample = http !== statuses[status].http && Object.hasOwn(byHttpStatus, http);
  const error = (hasExample && byHttpStatus[http]) || typical[status];
  return JSON.parse(problemBody(problemOf(error), requestId));
}
