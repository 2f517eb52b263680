import type { IncomingMessage } from 'node:http';
import { httpMessages } from '../messages.ts';
import { TransportError } from '../response/transport-error.ts';
import { isJsonType } from './content-type.ts';

/** Rejects bodies other than uncompressed JSON in UTF-8. A body without a Content-Type counts as JSON. */
export function checkContentHeaders(headers: IncomingMessage['headers']): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && !/^(?:identity)?$/i.test(encoding.trim())) {
    throw notPlain('Content-Encoding', 'Content-Encoding must be identity or absent.');
  }
  const type = headers['content-type'];
  if (type === undefined || isJsonType(type)) return;
  // `curl -d` and HTML forms send this type by default.
  const isFormDefault = /^\s*application\/x-www-form-urlencoded\b/i.test(type);
  const hint = isFormDefault ? ' Add the header Content-Type: application/json.' : '';
  throw notPlain('Content-Type', `Content-Type must be application/json, in UTF-8.${hint}`);
}

function notPlain(header: string, rule: string): TransportError {
  return new TransportError('INVALID_ARGUMENT', httpMessages.bodyNotPlain, {
    httpStatus: 415,
    issues: [{ path: header, message: rule }],
  });
}
