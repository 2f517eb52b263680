import type { Endpoint } from '../api/http/endpoint.ts';

/** The vocabulary of failure of the API. */
export type ErrorStatus = Endpoint['errors'][number];

export interface Failure {
  readonly status: ErrorStatus;
  readonly message: string;
  /**
   * With INVALID_ARGUMENT: `issues`, at most 100 of `{path, message}`, and `issuesTotal`, how many there are. Other lists are
   * cut where the response would exceed 64 KiB; `<name>Total` is their length then.
   */
  readonly details: Readonly<Record<string, unknown>>;
  /** 0 when nothing answered. */
  readonly httpStatus: number;
  /** Names the request in the service's log; empty when nothing answered. */
  readonly requestId: string;
  /** Seconds, where the service said so. */
  readonly retryAfter?: number | undefined;
}

/** A call that was refused, or that nothing answered: `UNAVAILABLE` then, with the reason as its `cause`. */
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
