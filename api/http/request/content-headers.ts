import type { IncomingMessage } from 'node:http';
import { frameMessages } from '../messages.ts';
import { isJsonType } from './content-type.ts';
import { TransportError } from '../response/transport-error.ts';

/** Only JSON in UTF-8, uncompressed, is understood; a body without a type is taken for it. */
export function checkContentHeaders(headers: IncomingMessage['headers']): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && !/^identity$/i.test(encoding.trim())) {
    throw notPlain(
      'Content-Encoding',
      frameMessages.bodyNotPlain,
      'Content-Encoding must be identity or absent.',
    );
  }
  const type = headers['content-type'];
  if (type === undefined || isJsonType(type)) return;
  // What `curl -d` and forms send where nobody chose a type.
  const unchosen = /^\s*application\/x-www-form-urlencoded\b/i.test(type);
  throw notPlain(
    'Content-Type',
    unchosen ? frameMessages.bodyWithoutType : frameMessages.bodyNotPlain,
    'Content-Type must be application/json, in UTF-8.',
  );
}

function notPlain(header: string, message: string, rule: string): TransportError {
  return new TransportError('INVALID_ARGUMENT', message, {
    httpStatus: 415,
    issues: [{ path: header, message: rule }],
  });
}
