import type { ErrorStatus } from '../../../domain/errors.ts';

/** HTTP status, meaning and remedy of each error status, for responses, the OpenAPI document, docs/api.md and `/docs`. */
export const statuses = {
  INVALID_ARGUMENT: {
    http: 400,
    meaning: 'The request is malformed; `details.issues` lists the reasons.',
    remedy: 'Fix every field listed in `details.issues`. An unchanged retry fails again.',
  },
  FAILED_PRECONDITION: {
    http: 400,
    meaning: 'The request is well formed, but the current state does not allow it.',
    remedy: 'Fix the condition that `message` describes, then retry with a new Idempotency-Key.',
  },
  UNAUTHENTICATED: {
    http: 401,
    meaning: 'A credential header is missing.',
    remedy: 'Send every credential header of the operation.',
  },
  PERMISSION_DENIED: {
    http: 403,
    meaning: 'The credentials are wrong or do not allow the call.',
    remedy: 'Check the credentials, the scopes of the token, and the allowed domains of the key.',
  },
  NOT_FOUND: {
    http: 404,
    meaning: 'A record that the request names, or the operation, does not exist.',
    remedy:
      'Check the path and the ids, and that the record belongs to the same API key. ' +
      'Retry a write with a new Idempotency-Key.',
  },
  ALREADY_EXISTS: {
    http: 409,
    meaning: 'The id is already taken.',
    remedy: 'Use another id, or update the existing record, with a new Idempotency-Key.',
  },
  ABORTED: {
    http: 409,
    meaning: 'A concurrent call conflicted with this one; a retry may succeed.',
    remedy: 'Use backoff, and the same Idempotency-Key.',
  },
  RESOURCE_EXHAUSTED: {
    http: 429,
    meaning: 'The call exceeds a rate or quantity limit.',
    remedy:
      'Retry after the seconds in `Retry-After`. Without that header, delete records or raise the limit.',
  },
  CANCELLED: {
    http: 499,
    meaning: 'The caller closed the connection.',
    remedy: 'Raise the timeout of your client. Retry a write under the same Idempotency-Key.',
  },
  INTERNAL: {
    http: 500,
    meaning: 'The service failed; report `details.requestId` to the operator.',
    remedy: 'Retry a write only under the same Idempotency-Key, so that it takes effect once.',
  },
  UNIMPLEMENTED: {
    http: 405,
    meaning: 'The path does not support the HTTP method.',
    remedy: 'Use POST for operations and GET for pages.',
  },
  UNAVAILABLE: {
    http: 503,
    meaning: 'A dependency of the call is unavailable; retry.',
    remedy: 'Wait for the seconds in `Retry-After`. Retry a write under the same Idempotency-Key.',
  },
  DEADLINE_EXCEEDED: {
    http: 504,
    meaning: 'The call exceeded its time limit.',
    remedy: 'Send fewer items in a call. Retry a write under the same Idempotency-Key.',
  },
} as const satisfies Record<ErrorStatus, { http: number; meaning: string; remedy: string }>;
