import type { Endpoint } from '../api/http/endpoint.ts';

/** The error statuses of the API. */
export type ErrorStatus = Endpoint['errors'][number];

export interface Failure {
  readonly status: ErrorStatus;
  readonly message: string;
  /**
   * With INVALID_ARGUMENT: `issues`, max 100 of `{path, message}`, and `issuesTotal`, their number. Other lists are truncated
   * when the response would exceed 64 KiB; `<name>Total` is then their length.
   */
  readonly details: Readonly<Record<string, unknown>>;
  /** 0 without a response. */
  readonly httpStatus: number;
  /** Identifies the request in the service's log; empty without a response. */
  readonly requestId: string;
  /** Seconds, if the response has a Retry-After header. */
  readonly retryAfter?: number | undefined;
}

/** A failed call. Without a response, `status` is `UNAVAILABLE` and `cause` is the reason. */
export class StewardError extends Error implements Failure {
  override readonly name = 'StewardError';
  readonly status: ErrorStatus;
  readonly details: Readonly<Record<string, unknown>>;
  readonly httpStatus: number;
  readonly requestId: string;
  readonly retryAfter: number | undefined;

  constructor({ status, message, details, httpStatus, requestId, retryAfter }: Failure, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.status = status;
    this.details = details;
    this.httpStatus = httpStatus;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}
