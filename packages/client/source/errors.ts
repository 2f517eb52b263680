/** The error statuses of this release. A newer server may return others. */
export type ErrorStatus =
  | 'INVALID_ARGUMENT'
  | 'FAILED_PRECONDITION'
  | 'UNAUTHENTICATED'
  | 'PERMISSION_DENIED'
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  | 'ABORTED'
  | 'RESOURCE_EXHAUSTED'
  | 'CANCELLED'
  | 'INTERNAL'
  | 'UNIMPLEMENTED'
  | 'UNAVAILABLE'
  | 'DEADLINE_EXCEEDED';

/** A rule that a member of the request broke. */
export interface Issue {
  /** The path of the member in the body, for instance `data.documents[0].documentId`. */
  readonly path: string;
  readonly message: string;
}

export interface Failure {
  readonly status: ErrorStatus | (string & {});
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** 0 without a response. */
  readonly httpStatus: number;
  /** Identifies the request in the service's log; empty when unknown. */
  readonly requestId: string;
  /** Seconds, if the response has a Retry-After header. */
  readonly retryAfter?: number | undefined;
}

/**
 * A failed call. Each known status has a subclass; another status of a newer server has none, nor has `UNKNOWN`: the
 * response is not one of Steward.
 */
export class StewardError extends Error implements Failure {
  override readonly name: string = 'StewardError';
  readonly status: ErrorStatus | (string & {});
  /** Members depend on the status. Lists are truncated at 64 KiB; `<name>Total` is then their length. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly httpStatus: number;
  readonly requestId: string;
  readonly retryAfter: number | undefined;
  /** Max 100 broken rules of an INVALID_ARGUMENT; otherwise empty. */
  readonly issues: readonly Issue[];

  constructor({ status, message, details, httpStatus, requestId, retryAfter }: Failure, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.status = status;
    this.details = details;
    this.httpStatus = httpStatus;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
    this.issues = Array.isArray(details['issues']) ? (details['issues'] as Issue[]) : [];
  }
}

/** The request is malformed: see `issues`. */
export class InvalidArgumentError extends StewardError {
  override readonly name: string = 'InvalidArgumentError';
  declare readonly status: 'INVALID_ARGUMENT';
}
/** The current state does not allow the call. */
export class FailedPreconditionError extends StewardError {
  override readonly name: string = 'FailedPreconditionError';
  declare readonly status: 'FAILED_PRECONDITION';
}
/** A credential header is missing. */
export class UnauthenticatedError extends StewardError {
  override readonly name: string = 'UnauthenticatedError';
  declare readonly status: 'UNAUTHENTICATED';
}
/** The credentials are wrong or do not allow the call. */
export class PermissionDeniedError extends StewardError {
  override readonly name: string = 'PermissionDeniedError';
  declare readonly status: 'PERMISSION_DENIED';
}
/** A record that the request names, or the operation, does not exist. */
export class NotFoundError extends StewardError {
  override readonly name: string = 'NotFoundError';
  declare readonly status: 'NOT_FOUND';
}
/** The id is already taken. */
export class AlreadyExistsError extends StewardError {
  override readonly name: string = 'AlreadyExistsError';
  declare readonly status: 'ALREADY_EXISTS';
}
/** A concurrent call conflicted with this one. */
export class AbortedError extends StewardError {
  override readonly name: string = 'AbortedError';
  declare readonly status: 'ABORTED';
}
/** The call exceeds a rate or quantity limit. */
export class ResourceExhaustedError extends StewardError {
  override readonly name: string = 'ResourceExhaustedError';
  declare readonly status: 'RESOURCE_EXHAUSTED';
}
/** The connection ended before the request was complete. */
export class CancelledError extends StewardError {
  override readonly name: string = 'CancelledError';
  declare readonly status: 'CANCELLED';
}
/** The service failed: report `requestId` to its operator. */
export class InternalError extends StewardError {
  override readonly name: string = 'InternalError';
  declare readonly status: 'INTERNAL';
}
/** The path does not support the HTTP method. */
export class UnimplementedError extends StewardError {
  override readonly name: string = 'UnimplementedError';
  declare readonly status: 'UNIMPLEMENTED';
}
/** The service or one of its dependencies is unavailable. */
export class UnavailableError extends StewardError {
  override readonly name: string = 'UnavailableError';
  declare readonly status: 'UNAVAILABLE';
}
/** No response: `httpStatus` is 0 and `cause` is the reason. The service may have received the call. */
export class ConnectionError extends UnavailableError {
  override readonly name = 'ConnectionError';
}
/** The call exceeded a time limit: the service's, or with `httpStatus` 0 the client's `timeoutMs`. */
export class DeadlineExceededError extends StewardError {
  override readonly name: string = 'DeadlineExceededError';
  declare readonly status: 'DEADLINE_EXCEEDED';
}

const classes: Readonly<Record<ErrorStatus, typeof StewardError>> = {
  INVALID_ARGUMENT: InvalidArgumentError,
  FAILED_PRECONDITION: FailedPreconditionError,
  UNAUTHENTICATED: UnauthenticatedError,
  PERMISSION_DENIED: PermissionDeniedError,
  NOT_FOUND: NotFoundError,
  ALREADY_EXISTS: AlreadyExistsError,
  ABORTED: AbortedError,
  RESOURCE_EXHAUSTED: ResourceExhaustedError,
  CANCELLED: CancelledError,
  INTERNAL: InternalError,
  UNIMPLEMENTED: UnimplementedError,
  UNAVAILABLE: UnavailableError,
  DEADLINE_EXCEEDED: DeadlineExceededError,
};

/** Returns the error of a failure, of the class of its status. */
export function errorOf(failure: Failure): StewardError {
  const Class = Object.hasOwn(classes, failure.status)
    ? classes[failure.status as ErrorStatus]
    : StewardError;
  return new Class(failure);
}
