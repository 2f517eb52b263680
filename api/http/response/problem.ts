import { DomainError, statuses, type ErrorStatus } from '../../../domain/errors.ts';
import { messages } from '../../../domain/messages.ts';
import { classifyDatabaseError } from '../../../platform/database/failures.ts';

/** A failure as it leaves: the only place where a status becomes an HTTP status. */
export interface Problem {
  readonly httpStatus: number;
  readonly status: ErrorStatus;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  /** A bug, to be logged whole; its text never leaves. */
  readonly bug: boolean;
}

/** A refusal whose HTTP status is not its error status's own (413, 415, 422, 405), or that needs headers. */
export class TransportError extends DomainError {
  readonly httpStatus: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: ErrorStatus,
    message: string,
    {
      httpStatus,
      headers = {},
      issue = { path: '', message },
    }: {
      httpStatus?: number;
      headers?: Readonly<Record<string, string>>;
      /** What is wrong where, when the message does not say it. */
      issue?: { readonly path: string; readonly message: string };
    } = {},
  ) {
    super(status, message, status === 'INVALID_ARGUMENT' ? { issues: [issue], issuesTotal: 1 } : {});
    this.httpStatus = httpStatus ?? statuses[status].http;
    this.headers = headers;
  }
}

/** Never throws: an error that is neither a refusal nor one of the database is a bug. */
export function problemOf(error: unknown): Problem {
  if (error instanceof DomainError) {
    const transport = error instanceof TransportError ? error : undefined;
    return {
      httpStatus: transport?.httpStatus ?? statuses[error.status].http,
      status: error.status,
      message: error.message,
      details: error.details,
      headers: transport?.headers ?? (error.status === 'UNAVAILABLE' ? { 'Retry-After': '1' } : {}),
      bug: false,
    };
  }
  switch (classifyDatabaseError(error)) {
    case 'unavailable':
      return plain('UNAVAILABLE', messages.unavailable, { 'Retry-After': '1' });
    case 'timeout':
      return plain('DEADLINE_EXCEEDED', messages.deadline);
    case 'conflict':
    case 'gone':
    case 'duplicate':
      return plain('ABORTED', messages.aborted, { 'Retry-After': '1' });
    case 'bug':
      return { ...plain('INTERNAL', messages.internal), bug: true };
  }
}

function plain(status: ErrorStatus, message: string, headers: Record<string, string> = {}): Problem {
  return { httpStatus: statuses[status].http, status, message, details: {}, headers, bug: false };
}
