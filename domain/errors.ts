import { messages } from './messages.ts';

/**
 * Error statuses, as in google.rpc. `domain/` throws them, `api/http/` converts them to HTTP, and
 * `activities/translate-errors.ts` decides whether a workflow retries.
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

/** One issue of a request. `path` names a member of its data or is empty. The message never contains the value. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

export type ErrorDetails = Readonly<Record<string, unknown>>;

/** A refusal that the caller can act on. All other errors are unexpected. */
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

/**
 * Data that a call prepared outside its transaction no longer matches the stored rows. The call is prepared again; after
 * 3 repeats or 10 s the caller gets ABORTED.
 */
export class StalePreparation extends DomainError {
  constructor() {
    super('ABORTED', messages.aborted);
    this.name = 'StalePreparation';
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

/** A retry may succeed: a concurrent call was in the way. */
export const aborted = (): DomainError => new DomainError('ABORTED', messages.aborted);

/** A retry may succeed later. */
export const unavailable = (): DomainError => new DomainError('UNAVAILABLE', messages.unavailable);

/** Max issues that one refusal lists. */
export const maxIssues = 100;

/**
 * Creates the refusal of an invalid request. `issues` are in request order, and the first one's text is the message. Keeps
 * at most 100 issues and reports their number, `total`, in `issuesTotal`.
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

/** Creates the refusal of one member. An empty name stands for the data itself. */
export function invalidMember(member: string, message: string, details?: ErrorDetails): DomainError {
  return invalidArgument([{ path: member, message }], details);
}

/** Reason why one item of a batch failed (docs/decisions.md#failures-of-single-items). */
export type ItemFailure =
  | 'not-found'
  | 'already-exists'
  | 'failed-precondition'
  | 'invalid-argument'
  | 'permission-denied'
  | 'internal';
