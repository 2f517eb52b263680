import type { ErrorStatus } from '../../../domain/errors.ts';

/** HTTP status and meaning of each error status, for responses, the OpenAPI document and docs/api.md. */
export const statuses = {
  INVALID_ARGUMENT: {
    http: 400,
    meaning: 'The request is malformed; `details.issues` lists the reasons.',
  },
  FAILED_PRECONDITION: {
    http: 400,
    meaning: 'The request is well formed, but the current state does not allow it.',
  },
  UNAUTHENTICATED: { http: 401, meaning: 'A credential header is missing.' },
  PERMISSION_DENIED: { http: 403, meaning: 'The credentials are wrong or do not allow the call.' },
  NOT_FOUND: { http: 404, meaning: 'A record that the request names does not exist.' },
  ALREADY_EXISTS: { http: 409, meaning: 'The id is already taken.' },
  ABORTED: { http: 409, meaning: 'A concurrent call conflicted with this one; a retry may succeed.' },
  RESOURCE_EXHAUSTED: { http: 429, meaning: 'The call exceeds a rate or quantity limit.' },
  CANCELLED: { http: 499, meaning: 'The caller closed the connection.' },
  INTERNAL: { http: 500, meaning: 'The service failed; report `details.requestId` to the operator.' },
  UNIMPLEMENTED: { http: 501, meaning: 'The path or deployment does not support the call.' },
  UNAVAILABLE: { http: 503, meaning: 'A dependency of the call is unavailable; retry.' },
  DEADLINE_EXCEEDED: { http: 504, meaning: 'The call exceeded its time limit.' },
} as const satisfies Record<ErrorStatus, { http: number; meaning: string }>;
