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
import { frameMessages } from '../messages.ts';
import { statuses } from './statuses.ts';
import { TransportError } from './transport-error.ts';

/** A failure as it leaves. */
export interface Problem {
  readonly httpStatus: number;
  readonly status: ErrorStatus;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  /** A bug, to be logged whole; its text never leaves. */
  readonly bug: boolean;
}

/** Never throws: an error that is neither a refusal nor one of the database is a bug. */
export function problemOf(error: unknown): Problem {
  if (error instanceof DomainError) {
    const transport = error instanceof TransportError ? error : undefined;
    return {
      httpStatus: transport?.httpStatus ?? statuses[error.status].http,
      status: error.status,
      message: error.message,
      details: transport === undefined ? detailsOf(error) : error.details,
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
      return { ...plain('INTERNAL', frameMessages.internal), bug: true };
  }
}

function plain(status: ErrorStatus, message: string, headers: Record<string, string> = {}): Problem {
  return { httpStatus: statuses[status].http, status, message, details: {}, headers, bug: false };
}

/** The details, with the paths of issues as they begin in the body of the request. */
function detailsOf({ status, details }: DomainError): ErrorDetails {
  if (status !== 'INVALID_ARGUMENT') return details;
  const issues = details['issues'] as readonly Issue[];
  return { ...details, issues: issues.map(({ path, message }) => ({ path: dataPath(path), message })) };
}

const dataPath = (member: string): string =>
  member === '' || member.startsWith('[') ? `data${member}` : `data.${member}`;

/** Bytes of a failure's body. */
const maxBytes = 65_536;

/** Bytes that each list or map of the details may have once a body would be too large. Two of them fit, beside the message. */
const maxDetailBytes = 24_576;

/** Characters of a message that is cut: six bytes each at most, as JSON. */
const maxMessage = 1_000;

/**
 * The failure envelope; `details` is additive and always names the request. At most 64 KiB: beyond that
 * `details` keep the first entries of each list and map that fit, and their number in `<name>Total`.
 */
export function problemBody({ status, message, details }: Problem, requestId: string): string {
  const body = JSON.stringify({ error: { status, message, details: { ...details, requestId } } });
  if (Buffer.byteLength(body) <= maxBytes) return body;
  const cut = message.length > maxMessage ? `${message.slice(0, maxMessage)}…` : message;
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

/** The first entries, as many as fit. */
function fitting<Entry>(entries: readonly Entry[]): Entry[] {
  let bytes = 0;
  const end = entries.findIndex((entry) => (bytes += bytesOf(entry) + 1) > maxDetailBytes);
  return entries.slice(0, end === -1 ? entries.length : end);
}

/** The failure envelope, for the OpenAPI document. */
export const problemSchema: JsonSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['status', 'message', 'details'],
      properties: {
        status: { type: 'string', enum: Object.keys(statuses) },
        message: { type: 'string', description: 'Of several issues the first one’s text.' },
        details: {
          type: 'object',
          required: ['requestId'],
          properties: {
            requestId: { type: 'string' },
            issues: {
              type: 'array',
              maxItems: maxIssues,
              description: 'With INVALID_ARGUMENT: what is wrong, the first 100 issues at most.',
              items: {
                type: 'object',
                required: ['path', 'message'],
                properties: { path: { type: 'string' }, message: { type: 'string' } },
              },
            },
            issuesTotal: {
              type: 'integer',
              minimum: 1,
              description: 'With INVALID_ARGUMENT: how many issues there are, listed or not.',
            },
          },
        },
      },
    },
  },
};
