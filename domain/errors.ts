/**
 * The one vocabulary of failure (the statuses of google.rpc). `domain/` throws these, `api/http/response/problem.ts` alone
 * gives them a form on the wire, `activities/translate-errors.ts` alone decides whether a workflow tries again.
 */
export const statuses = {
  INVALID_ARGUMENT: {
    http: 400,
    says: 'The request is not well formed; `details.issues` lists the reasons.',
  },
  FAILED_PRECONDITION: { http: 400, says: 'Well formed, but the present state does not allow it.' },
  UNAUTHENTICATED: { http: 401, says: 'A credential header is missing.' },
  PERMISSION_DENIED: { http: 403, says: 'The credentials are not valid here.' },
  NOT_FOUND: { http: 404, says: 'Something that the request names does not exist.' },
  ALREADY_EXISTS: { http: 409, says: 'The id is taken.' },
  ABORTED: { http: 409, says: 'Another call was in the way; the same call may succeed now.' },
  RESOURCE_EXHAUSTED: { http: 429, says: 'A rate or a number is exceeded.' },
  CANCELLED: { http: 499, says: 'The caller went away.' },
  INTERNAL: { http: 500, says: 'A fault of the service; tell the operator `details.requestId`.' },
  UNIMPLEMENTED: { http: 501, says: 'There is no such method here.' },
  UNAVAILABLE: { http: 503, says: 'Something that the call needs is away; try again.' },
  DEADLINE_EXCEEDED: { http: 504, says: 'The call took longer than it may.' },
} as const satisfies Record<string, { http: number; says: string }>;

export type ErrorStatus = keyof typeof statuses;

/** One thing that is wrong with a request. `path` starts with `data`; the message never repeats the value. */
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
export const mostIssues = 100;

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
    issues: issues.slice(0, mostIssues),
    issuesTotal: total,
  });
}

/** A refusal of one member, written without `data.` as in the message. */
export function invalidMember(member: string, message: string, details?: ErrorDetails): DomainError {
  return invalidArgument([{ path: member === '' ? 'data' : `data.${member}`, message }], details);
}

/** Why one item of a batch failed (docs/decisions.md#failures-of-single-items). */
export type ItemFailure =
  | 'not-found'
  | 'already-exists'
  | 'failed-precondition'
  | 'invalid-argument'
  | 'permission-denied'
  | 'internal';
