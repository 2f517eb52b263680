import { CollectedBytes } from '../bytes/collected-bytes.ts';

/** The record of one exchange, filled in as it proceeds. */
export interface Exchange {
  /** Undefined until the response headers arrive. */
  status?: number;
  headers?: Headers;
  /** The complete response body. */
  body?: string;
  broken?: 'connection-failed' | 'response-too-large';
}

/** Statuses without a body, for which `Response` throws when it gets one. */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * A `fetch` for clients, also of third parties, that call an operator's URL or this machine. It follows no redirects,
 * reads the whole response first, throws beyond `maxBytes` decompressed bytes, and records the exchange in `seen`.
 */
export function boundedFetch(maxBytes: number, seen: Exchange = {}): typeof globalThis.fetch {
  return async (input, init) => {
    try {
      const response = await fetch(input, { ...init, redirect: 'manual' });
      seen.status = response.status;
      seen.headers = response.headers;
      const bytes = await wholeBody(response, maxBytes, seen);
      seen.body = bytes.toString('utf8');
      return new Response(withoutBody.has(response.status) ? null : new Uint8Array(bytes), {
        status: response.status,
        headers: unpacked(response.headers),
      });
    } catch (error) {
      if (init?.signal?.aborted !== true) seen.broken ??= 'connection-failed';
      throw error;
    }
  };
}

async function wholeBody(response: Response, maxBytes: number, seen: Exchange): Promise<Buffer> {
  const bytes = new CollectedBytes();
  if (response.body === null) return Buffer.alloc(0);
  // Throwing from the loop cancels the response and closes the connection.
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    if (bytes.length + chunk.length > maxBytes) {
      seen.broken = 'response-too-large';
      throw new Error(`The response body exceeds ${maxBytes} bytes.`);
    }
    bytes.add(chunk);
  }
  return bytes.whole();
}

/** Drops the headers that describe the compressed body. */
function unpacked(headers: Headers): Headers {
  const rest = new Headers(headers);
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) rest.delete(name);
  return rest;
}
