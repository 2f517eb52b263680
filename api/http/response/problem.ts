import {
  DomainError,
  maxIssues,
  type ErrorDetails,
  type ErrorStatus,
  type Issue,
} from '../../../domain/errors.ts';
import { messages } from '../../../domain/messages.ts';
import { classifyDatabaseError } from '../../../platform/database/failures.ts';
import type { JsonSchema } from '../../openapi/json-schema.ts';
import { httpMessages } from '../messages.ts';
import { statuses } from './statuses.ts';
import { TransportError, type RefusalKind } from './transport-error.ts';

/** A failure in the form of the wire. */
export interface Problem {
  readonly httpStatus: number;
  readonly status: ErrorStatus;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  /** True for errors that must be logged; their text is never sent. */
  readonly unexpected: boolean;
  /** Undefined for failures of the operation itself. */
  readonly refusal?: RefusalKind | undefined;
}

/** Statuses of calls that may be repeated after a second. */
const retriedAfterOneSecond: ReadonlySet<ErrorStatus> = new Set(['UNAVAILABLE', 'ABORTED']);

/** Never throws. Errors other than `DomainError` and known database failures are unexpected. */
export function problemOf(error: unknown): Problem {
  if (error instanceof DomainError) {
    const transport = error instanceof TransportError ? error : undefined;
    return {
      httpStatus: transport?.httpStatus ?? statuses[error.status].http,
      status: error.status,
      message: error.message,
      details: transport === undefined ? detailsOf(error) : error.details,
      headers: transport?.headers ?? (retriedAfterOneSecond.has(error.status) ? { 'Retry-After': '1' } : {}),
      unexpected: false,
      refusal: transport?.refusal,
    };
  }
  switch (classifyDatabaseError(error)) {
    case 'unavailable':
      return {
        ...plain('UNAVAILABLE', messages.unavailable, { 'Retry-After': '1' }),
        refusal: 'database',
      };
    case 'timeout':
      return plain('DEADLINE_EXCEEDED', messages.deadline);
    case 'conflict':
    case 'gone':
    case 'duplicate':
      return plain('ABORTED', messages.aborted, { 'Retry-After': '1' });
    case 'unexpected':
      return { ...plain('INTERNAL', httpMessages.internal), unexpected: true };
  }
}

function plain(status: ErrorStatus, message: string, headers: Record<string, string> = {}): Problem {
  return { httpStatus: statuses[status].http, status, message, details: {}, headers, unexpected: false };
}

/** Returns the details, with the paths of issues relative to the request body. */
function detailsOf({ status, details }: DomainError): ErrorDetails {
  if (status !== 'INVALID_ARGUMENT') return details;
  const issues = details['issues'] as readonly Issue[];
  return { ...details, issues: issues.map(({ path, message }) => ({ path: dataPath(path), message })) };
}

const dataPath = (member: string): string =>
  member === '' || member.startsWith('[') ? `data${member}` : `data.${member}`;

/** Max size of a failure body. */
const maxBytes = 65_536;

/** Max bytes of each list or map in the details of an oversized body: two of them fit beside the message. */
const maxDetailBytes = 24_576;

/** A character takes up to six bytes as JSON. */
const maxMessageCharacters = 1_000;

/**
 * Writes the failure envelope, of at most 64 KiB. Beyond that, each list and map in `details` keeps its first entries,
 * and `<name>Total` contains the original number.
 */
export function problemBody({ status, message, details }: Problem, requestId: string): string {
  const body = JSON.stringify({ error: { status, message, details: { ...details, requestId } } });
  if (Buffer.byteLength(body) <= maxBytes) return body;
  const cut = message.length > maxMessageCharacters ? `${message.slice(0, maxMessageCharacters)}…` : message;
  return JSON.stringify({ error: { status, message: cut, details: { ...cutDetails(details), requestId } } });
}

function cutDetails(details: ErrorDetails): ErrorDetails {
  const { issuesTotal, ...others } = details;
  const cut = Object.entries(others).flatMap(([name, value]): (readonly [string, unknown])[] => {
    if (typeof value !== 'object' || value === null || !isLarge(value)) return [[name, value]];
    const kept = Array.isArray(value) ? fitting(value) : Object.fromEntries(fitting(Object.entries(value)));
    return [
      [name, kept],
      [`${name}Total`, Object.keys(value).length],
    ];
  });
  return { ...Object.fromEntries(cut), ...(issuesTotal !== undefined && { issuesTotal }) };
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const isLarge = (value: object): boolean => bytesOf(value) > maxDetailBytes;

/** Returns the first entries that fit in `maxDetailBytes`. */
function fitting<Entry>(entries: readonly Entry[]): Entry[] {
  let bytes = 0;
  const end = entries.findIndex((entry) => (bytes += bytesOf(entry) + 1) > maxDetailBytes);
  return entries.slice(0, end === -1 ? entries.length : end);
}

/** OpenAPI schema of the failure envelope. */
export const problemSchema: JsonSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      description: 'Why the call failed.',
      required: ['status', 'message', 'details'],
      properties: {
        status: {
          type: 'string',
          enum: Object.keys(statuses),
          description: 'Kind of the failure. Branch on this value, not on `message`.',
        },
        message: { type: 'string', description: 'With several issues, the text of the first one.' },
        details: {
          type: 'object',
          description: 'Facts about the failure. Some operations add fields of their own.',
          required: ['requestId'],
          properties: {
            requestId: { type: 'string', description: 'Id of the request, as in `X-Request-Id`.' },
            issues: {
              type: 'array',
              maxItems: maxIssues,
              description: 'With INVALID_ARGUMENT: the first 100 issues of the request.',
              items: {
                type: 'object',
                required: ['path', 'message'],
                properties: {
                  path: { type: 'string', description: 'Member of the body, such as `data.users[0].email`.' },
                  message: { type: 'string', description: 'The rule that the field breaks.' },
                },
              },
            },
            issuesTotal: {
              type: 'integer',
              minimum: 1,
              description: 'With INVALID_ARGUMENT: the number of all issues, listed or not.',
            },
          },
        },
      },
    },
  },
};
