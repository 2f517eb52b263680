import { DomainError, type ErrorStatus, type Issue } from '../../../domain/errors.ts';
import { httpMessages } from '../messages.ts';
import { statuses } from './statuses.ts';

/** Why a request was refused before its operation, for the metric `steward_api_refusals_total`. */
export type RefusalKind =
  | 'rate'
  | 'credentials'
  | 'failed_credentials'
  | 'origin'
  | 'body_budget'
  | 'read_budget'
  | 'ai_calls'
  | 'connections'
  | 'database'
  | 'restore'
  | 'temporal';

/** A refusal by the HTTP layer. Its HTTP status may differ from the default of its error status (405, 413, 415, 422). */
export class TransportError extends DomainError {
  readonly httpStatus: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal: RefusalKind | undefined;

  constructor(
    status: ErrorStatus,
    message: string,
    {
      httpStatus,
      headers = {},
      issues = [{ path: '', message }],
      issuesTotal = issues.length,
      refusal,
    }: {
      httpStatus?: number;
      headers?: Readonly<Record<string, string>>;
      /** Issues of INVALID_ARGUMENT. A path names a header or starts at the body, and is sent unchanged. */
      issues?: readonly Issue[];
      issuesTotal?: number;
      refusal?: RefusalKind;
    } = {},
  ) {
    super(status, message, status === 'INVALID_ARGUMENT' ? { issues, issuesTotal } : {});
    this.httpStatus = httpStatus ?? statuses[status].http;
    this.headers = headers;
    this.refusal = refusal;
  }
}

export const callerClosed = (): TransportError =>
  new TransportError('CANCELLED', 'The caller closed the connection.');

/** Creates a 429 refusal with `Retry-After`. */
export function tooManyRequests(seconds: number, refusal: 'rate' | 'failed_credentials'): TransportError {
  return new TransportError('RESOURCE_EXHAUSTED', httpMessages.rateLimit(seconds), {
    headers: { 'Retry-After': String(seconds) },
    refusal,
  });
}
