import { DomainError, type ErrorStatus, type Issue } from '../../../domain/errors.ts';
import { statuses } from './statuses.ts';

/** A refusal by the frame: its HTTP status may differ from its error status's own (413, 415, 422, 405), and it may need headers. */
export class TransportError extends DomainError {
  readonly httpStatus: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: ErrorStatus,
    message: string,
    {
      httpStatus,
      headers = {},
      issues = [{ path: '', message }],
      issuesTotal = issues.length,
    }: {
      httpStatus?: number;
      headers?: Readonly<Record<string, string>>;
      /** For INVALID_ARGUMENT, what is wrong where; a path names a header or begins at the body, and is sent as it is. */
      issues?: readonly Issue[];
      issuesTotal?: number;
    } = {},
  ) {
    super(status, message, status === 'INVALID_ARGUMENT' ? { issues, issuesTotal } : {});
    this.httpStatus = httpStatus ?? statuses[status].http;
    this.headers = headers;
  }
}
