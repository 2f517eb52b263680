/** What was seen of one exchange, whatever becomes of its answer afterwards. */
export interface Exchange {
  /** Undefined while no head of an answer has come. */
  status?: number;
  headers?: Headers;
  /** The whole of the answer, once it is here. */
  body?: string;
  broken?: 'connection-failed' | 'answer-too-large';
}

/** These have no body, and a Response refuses to be given one. */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * A `fetch` for the clients of others, to an address of the operator's choice: it follows no redirect, reads an answer
 * whole before it hands it on, no more than `maxBytes` of it (unpacked), and writes down what it saw.
 */
export function boundedFetch(maxBytes: number, seen: Exchange): typeof globalThis.fetch {
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
  const chunks: Uint8Array[] = [];
  let length = 0;
  if (response.body === null) return Buffer.alloc(0);
  // Leaving the loop by an error cancels the answer, and with it the connection.
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > maxBytes) {
      seen.broken = 'answer-too-large';
      throw new Error('The answer is too large.');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** What is handed on is neither packed nor as long as it was. */
function unpacked(headers: Headers): Headers {
  const rest = new Headers(headers);
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) rest.delete(name);
  return rest;
}
