import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { CollectedBytes } from '../bytes/collected-bytes.ts';
import { OutboundError } from './outbound-error.ts';
import { firstValues, type ResponseHeaders } from './response-headers.ts';

/** A POST request. */
export interface OutboundRequest {
  /** http or https, without user, password and fragment. */
  readonly url: string;
  /** The key whose customer chose the URL, or empty. The system looks up names of one owner one after the other. */
  readonly owner: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Milliseconds for name resolution, connection and response together. */
  readonly timeoutMs: number;
  /** Max bytes read of the response; see `cut`. */
  readonly maxResponseBytes: number;
  /** Takes memory for the next part of the response. False ends the request with `no-room`. */
  readonly takeRoom?: (bytes: number) => boolean;
  /** Cancels the request. */
  readonly signal?: AbortSignal;
}

export interface OutboundResponse {
  /** Redirects are not followed. */
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** Not decompressed. */
  readonly body: Buffer;
  /** The response exceeded `maxResponseBytes`, and the connection was closed. */
  readonly cut: boolean;
}

export interface Target {
  readonly origin: string;
  /** Includes the query. */
  readonly path: string;
}

/** Sends one request over a dispatcher's connections. Throws only `OutboundError`, and then sends nothing more. */
export async function exchange(
  dispatcher: Dispatcher,
  { origin, path }: Target,
  { headers, body, timeoutMs, maxResponseBytes, takeRoom, signal }: OutboundRequest,
): Promise<OutboundResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<OutboundResponse>();
  const response = new ResponseHandler({ maxResponseBytes, takeRoom }, resolve, reject);
  const time = setTimeout(() => response.abort(new OutboundError('timed-out')), timeoutMs);
  const cancel = (): void => response.abort(new OutboundError('cancelled'));
  signal?.addEventListener('abort', cancel);
  try {
    if (signal?.aborted === true) throw new OutboundError('cancelled');
    // The dispatcher's timeouts are off: none covers a whole exchange.
    const times = { headersTimeout: 0, bodyTimeout: 0 };
    dispatcher.dispatch({ origin, path, method: 'POST', headers, body, ...times }, response);
    return await promise;
  } finally {
    clearTimeout(time);
    signal?.removeEventListener('abort', cancel);
  }
}

class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly #maxBytes: number;
  readonly #takeRoom: OutboundRequest['takeRoom'];
  readonly #resolve: (response: OutboundResponse) => void;
  readonly #reject: (error: OutboundError) => void;
  readonly #bytes = new CollectedBytes();
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #sending: Dispatcher.DispatchController | undefined;
  #givenUp: OutboundError | undefined;

  constructor(
    {
      maxResponseBytes,
      takeRoom,
    }: { readonly maxResponseBytes: number; readonly takeRoom: OutboundRequest['takeRoom'] },
    resolve: (response: OutboundResponse) => void,
    reject: (error: OutboundError) => void,
  ) {
    this.#maxBytes = maxResponseBytes;
    this.#takeRoom = takeRoom;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Has no effect on an exchange that has ended. */
  abort(error: OutboundError): void {
    this.#givenUp = error;
    this.#reject(error);
    this.#sending?.abort(error);
  }

  /** Called when a connection is open and nothing is written yet. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#sending = controller;
    if (this.#givenUp !== undefined) controller.abort(this.#givenUp);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // Informational statuses (below 200) come first; the last status counts.
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#takeRoom?.(chunk.length) === false) {
      this.abort(new OutboundError('no-room'));
      return;
    }
    this.#bytes.add(chunk);
    if (this.#bytes.length <= this.#maxBytes) return;
    this.#end();
    controller.abort(new OutboundError('cancelled'));
  }

  onResponseEnd(): void {
    this.#end();
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error & { code?: string }): void {
    if (error instanceof OutboundError) this.#reject(error);
    else {
      const invalid = error.code === 'UND_ERR_INVALID_ARG' || error.code === 'UND_ERR_NOT_SUPPORTED';
      this.#reject(new OutboundError(invalid ? 'request-refused' : 'connection-failed', error));
    }
  }

  #end(): void {
    this.#resolve({
      status: this.#status,
      headers: firstValues(this.#headers),
      body: this.#bytes.whole().subarray(0, this.#maxBytes),
      cut: this.#bytes.length > this.#maxBytes,
    });
  }
}
