import { Agent, type Dispatcher } from 'undici';
import { codeOf } from '../process/error-code.ts';
import { CollectedBytes } from '../bytes/collected-bytes.ts';
import { retryAfterMsOf } from '../network/retry-after.ts';
import { firstValues, type ResponseHeaders } from '../outbound/response-headers.ts';
import { isCertificateCode } from './connection-codes.ts';
import type { SenderHold } from './verdict.ts';
import { attemptLimitMs } from './verdict.ts';

/** A response of a provider. Its status counts even when its body is not complete. */
export interface ProviderResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** Empty when it was cut. */
  readonly body: string;
  /** Why the body is missing: it exceeds the limit, or the connection was lost. Undefined for a complete body. */
  readonly cut?: 'too-large' | 'lost' | undefined;
}

/** A request that got no response. `held`: no connection was made; otherwise the provider may have acted on it. */
export interface NoResponse {
  readonly held: SenderHold | undefined;
  /** A code of Node.js or undici, never a message. */
  readonly code: string;
}

const connectLimitMs = 10_000;

export interface ProviderRequest {
  /** Sent as a bearer token. One that no header can carry is held as refused, and nothing is sent. */
  readonly secret: string;
  readonly type: string;
  readonly body: string;
  /** Aborts the request; absent: after 30 s. */
  readonly signal?: AbortSignal;
}

/** Sends requests to the address of a provider that the deployment chose. */
export interface ProviderConnection {
  post(path: string, request: ProviderRequest): Promise<ProviderResponse | NoResponse>;
  close(): Promise<void>;
}

/**
 * `baseUrl` has no trailing slash. Only requests over the same connection object share sockets. A body of more than
 * `maxBodyBytes` is not read to its end.
 */
export function connectProvider(baseUrl: string, maxBodyBytes: number): ProviderConnection {
  const { origin, pathname } = new URL(baseUrl);
  const base = pathname === '/' ? '' : pathname;
  const agent = new Agent({
    // With HTTP/2, all requests of the process would wait for one handshake, and then share one connection.
    allowH2: false,
    connections: 20,
    pipelining: 1,
    connect: { timeout: connectLimitMs },
    headersTimeout: attemptLimitMs,
    bodyTimeout: attemptLimitMs,
  });
  /** Errors before a connection was open: the same code may also mean that an open connection was lost. */
  const connectErrors = new WeakSet();
  agent.on('connectionError', (_origin, _targets, error) => connectErrors.add(error));
  return {
    async post(path, { secret, type, body, signal = AbortSignal.timeout(attemptLimitMs) }) {
      if (!inHeaders.test(secret)) return { held: 'credentials-refused', code: 'credentials-refused' };
      try {
        const response = await agent.request({
          origin,
          path: base + path,
          method: 'POST',
          headers: { authorization: `Bearer ${secret}`, 'content-type': type },
          body,
          signal,
        });
        const { statusCode: status, headers: received } = response;
        return { status, headers: firstValues(received), ...(await bodyOf(response, maxBodyBytes)) };
      } catch (error) {
        return noResponse(error, connectErrors.has(Object(error)));
      }
    },
    close: async () => agent.destroy(),
  };
}

/** Characters that a secret may have in a header. */
const inHeaders = /^[\x21-\x7e]+$/;

/** Never rejects: the status of the response is known, and must not be lost with its body. */
async function bodyOf(
  { body }: Dispatcher.ResponseData,
  maxBytes: number,
): Promise<Pick<ProviderResponse, 'body' | 'cut'>> {
  const bytes = new CollectedBytes();
  try {
    // Returning from the loop closes the connection.
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes.add(chunk);
      if (bytes.length > maxBytes) return { body: '', cut: 'too-large' };
    }
    return { body: bytes.whole().toString('utf8') };
  } catch {
    return { body: '', cut: 'lost' };
  }
}

function noResponse(error: unknown, isConnectError: boolean): NoResponse {
  const timedOut = (error as { readonly name?: unknown } | null)?.name === 'TimeoutError';
  const code = codeOf(error) || (timedOut ? 'ETIMEDOUT' : 'ECONNECTION');
  if (!isConnectError) return { held: undefined, code };
  return { held: isCertificateCode(code) ? 'certificate-refused' : 'unreachable', code };
}

/**
 * Milliseconds to wait, from a response: `Retry-After` in seconds or as a date, else an epoch in `resetHeader`. Undefined
 * without a time in the future, so that no sender retries at once.
 */
export function waitOf(
  { headers }: ProviderResponse,
  resetHeader: string,
  now: number = Date.now(),
): number | undefined {
  const afterMs = retryAfterMsOf(headers['retry-after'], now);
  if (afterMs !== undefined) return afterMs;
  const reset = headers[resetHeader];
  const ms = reset !== undefined && /^\d{1,12}$/.test(reset) ? Number(reset) * 1_000 - now : 0;
  return ms > 0 ? ms : undefined;
}
