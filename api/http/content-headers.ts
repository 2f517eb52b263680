import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import { messages } from '../../domain/messages.ts';
import { isJsonType } from './content-type.ts';
import { TransportError } from './problem.ts';

const mebibyte = 1_048_576;

/** The bytes of the body; 413 beyond the limit, whether the length was announced or not. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const length = request.headers['content-length'];
  try {
    return await getRawBody(request, { limit: limit * mebibyte, ...(length !== undefined && { length }) });
  } catch (error) {
    const type = (error as { type?: string }).type;
    if (type === 'entity.too.large') {
      throw new TransportError('INVALID_ARGUMENT', messages.bodyTooLarge(limit), {
        httpStatus: 413,
        headers: { Connection: 'close' },
      });
    }
    if (type === 'request.size.invalid') throw new TransportError('INVALID_ARGUMENT', messages.bodyNotJson);
    throw new TransportError('CANCELLED', 'The caller went away.');
  }
}

/** Only JSON in UTF-8, uncompressed, is understood; a body without a type is taken for it. */
export function checkContentHeaders(headers: IncomingMessage['headers']): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && !/^identity$/i.test(encoding.trim())) {
    throw notPlain('Content-Encoding', messages.bodyNotPlain, 'Content-Encoding must be identity or absent.');
  }
  const type = headers['content-type'];
  if (type === undefined || isJsonType(type)) return;
  // What `curl -d` and forms send where nobody chose a type.
  const unchosen = /^\s*application\/x-www-form-urlencoded\b/i.test(type);
  throw notPlain(
    'Content-Type',
    unchosen ? messages.bodyWithoutType : messages.bodyNotPlain,
    'Content-Type must be application/json, in UTF-8.',
  );
}

function notPlain(header: string, message: string, rule: string): TransportError {
  return new TransportError('INVALID_ARGUMENT', message, {
    httpStatus: 415,
    issue: { path: header, message: rule },
  });
}
