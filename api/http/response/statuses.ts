import type { ErrorStatus } from '../../../domain/errors.ts';

/** The HTTP status of each error status, and what the OpenAPI document and the README say of it. */
export const statuses = {
  INVALID_ARGUMENT: {
    http: 400,
    meaning: 'The request is not well formed; `details.issues` lists the reasons.',
  },
  FAILED_PRECONDITION: { http: 400, meaning: 'Well formed, but the present state does not allow it.' },
  UNAUTHENTICATED: { http: 401, meaning: 'A credential header is missing.' },
  PERMISSION_DENIED: { http: 403, meaning: 'The credentials are not valid here.' },
  NOT_FOUND: { http: 404, meaning: 'Something that the request names does not exist.' },
  ALREADY_EXISTS: { http: 409, meaning: 'The id is taken.' },
  ABORTED: { http: 409, meaning: 'Another call was in the way; the same call may succeed now.' },
  RESOURCE_EXHAUSTED: { http: 429, meaning: 'A rate or a number is exceeded.' },
  CANCELLED: { http: 499, meaning: 'The caller went away.' },
  INTERNAL: { http: 500, meaning: 'A fault of the service; tell the operator `details.requestId`.' },
  UNIMPLEMENTED: { http: 501, meaning: 'There is no such method here.' },
  UNAVAILABLE: { http: 503, meaning: 'Something that the call needs is away; try again.' },
  DEADLINE_EXCEEDED: { http: 504, meaning: 'The call took longer than it may.' },
} as const satisfies Record<ErrorStatus, { http: number; meaning: string }>;
