/**
 * The one vocabulary of failure (the statuses of google.rpc). `domain/` throws these, `api/http/` alone gives them a
 * form on the wire, `activities/translate-errors.ts` alone decides whether a workflow tries again.
 */
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

/** One thing that is wrong with a request. `path` names a member of its data, or is empty; the message never repeats the value. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

export type ErrorDetails = Readonly<Record<string, unknown>>;

/** A refusal that the caller can understand and act upon. Anything else that is thrown is a bug. */
export class DomainError extends Error {
  readonly status: ErrorStatus;
  readonly details: ErrorDetails;

  constructor(status: ErrorStatus, message: string, details: ErrorDetails = {}) {
    super(message);
    this.name = 'DomainError';
    this.status = status;
    this.details = details;
  }
}

export const notFound = (message: string, details?: ErrorDetails): DomainError =>
  new DomainError('NOT_FOUND', message, details);

export const failedPrecondition = (message: string, details?: ErrorDetails): DomainError =>
  new DomainError('FAILED_PRECONDITION', message, details);

export const alreadyExists = (message: string, details?: ErrorDetails): DomainError =>
  new DomainError('ALREADY_EXISTS', message, details);

export const permissionDenied = (message: string): DomainError =>
  new DomainError('PERMISSION_DENIED', message);

/** Issues that one refusal lists. */
export const maxIssues = 100;

/**
 * `issues` in the order of the request; the first one's text is the answer's message. At most 100 are kept beside
 * `issuesTotal`; `total` counts those that were never put into words.
 */
export function invalidArgument(
  issues: readonly [Issue, ...Issue[]],
  details: ErrorDetails = {},
  total: number = issues.length,
): DomainError {
  return new DomainError('INVALID_ARGUMENT', issues[0].message, {
    ...details,
    issues: issues.slice(0, maxIssues),
    issuesTotal: total,
  });
}

/** A refusal of one member; an empty name is the data itself. */
export function invalidMember(member: string, message: string, details?: ErrorDetails): DomainError {
  return invalidArgument([{ path: member, message }], details);
}

/** Why one item of a batch failed (docs/decisions.md#failures-of-single-items). */
export type ItemFailure =
  | 'not-found'
  | 'already-exists'
  | 'failed-precondition'
  | 'invalid-argument'
  | 'permission-denied'
  | 'internal';
