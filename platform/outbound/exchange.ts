import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { OutboundError } from './outbound-error.ts';

export interface OutboundRequest {
  /** http or https, without user, password and fragment. */
  readonly url: string;
  readonly method: 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Milliseconds for everything: name, connection, answer. */
  readonly timeout: number;
  /** No more of the answer is read; see `cut`. */
  readonly maxResponseBytes: number;
  /** Gives the request up. */
  readonly signal?: AbortSignal;
}

export interface OutboundResponse {
  /** As it came: redirects are not followed. */
  readonly status: number;
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** As it came: nothing is unpacked. */
  readonly body: Buffer;
  /** The answer was longer than `maxResponseBytes`; the connection was closed there. */
  readonly cut: boolean;
}

/** Where a request goes. */
export interface Target {
  readonly origin: string;
  /** With the query. */
  readonly path: string;
}

/**
 * Sends one request over a dispatcher's connections. Throws `OutboundError` and nothing else; once it has thrown, nothing
 * of the request is written any more.
 */
export async function exchange(
  dispatcher: Dispatcher,
  { origin, path }: Target,
  { method, headers, body, timeout, maxResponseBytes, signal }: OutboundRequest,
): Promise<OutboundResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<OutboundResponse>();
  const response = new Response(maxResponseBytes, resolve, reject);
  const time = setTimeout(() => response.giveUp(new OutboundError('timed-out')), timeout);
  const cancel = (): void => response.giveUp(new OutboundError('cancelled'));
  signal?.addEventListener('abort', cancel);
  try {
    if (signal?.aborted === true) throw new OutboundError('cancelled');
    // The time above is the only one: those of the dispatcher know no whole exchange.
    const times = { headersTimeout: 0, bodyTimeout: 0 };
    dispatcher.dispatch({ origin, path, method, headers, body, ...times }, response);
    return await promise;
  } finally {
    clearTimeout(time);
    signal?.removeEventListener('abort', cancel);
  }
}

class Response implements Dispatcher.DispatchHandler {
  readonly #most: number;
  readonly #resolve: (response: OutboundResponse) => void;
  readonly #reject: (error: OutboundError) => void;
  readonly #chunks: Buffer[] = [];
  #length = 0;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #sending: Dispatcher.DispatchController | undefined;
  #givenUp: OutboundError | undefined;

  constructor(
    most: number,
    resolve: (response: OutboundResponse) => void,
    reject: (error: OutboundError) => void,
  ) {
    this.#most = most;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Does nothing to an exchange that has ended. */
  giveUp(error: OutboundError): void {
    this.#givenUp = error;
    this.#reject(error);
    this.#sending?.abort(error);
  }

  /** A connection is there, and nothing is written yet. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#sending = controller;
    if (this.#givenUp !== undefined) controller.abort(this.#givenUp);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // The last one counts: those below 200 announce another.
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length <= this.#most) return;
    this.#end();
    controller.abort(new OutboundError('cancelled'));
  }

  onResponseEnd(): void {
    this.#end();
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error & { code?: string }): void {
    if (error instanceof OutboundError) this.#reject(error);
    else {
      const unfit = error.code === 'UND_ERR_INVALID_ARG' || error.code === 'UND_ERR_NOT_SUPPORTED';
      this.#reject(new OutboundError(unfit ? 'request-refused' : 'connection-failed', error));
    }
  }

  #end(): void {
    this.#resolve({
      status: this.#status,
      headers: this.#headers,
      body: Buffer.concat(this.#chunks).subarray(0, this.#most),
      cut: this.#length > this.#most,
    });
  }
}
