import { beginDeadline } from './deadline.ts';
import {
  ConnectionError,
  DeadlineExceededError,
  StewardError,
  type ErrorStatus,
  type Failure,
} from './errors.ts';
import { version } from './generated/version.ts';
import type { CallOptions, ClientOptions, Credentials, WriteOptions } from './options.ts';
import type { Jwks } from './receipts.ts';
import { jsonOf, resultOf } from './response.ts';
import { withRetries } from './retry.ts';

const defaultAttempts = 3;
const defaultTimeoutMs = 60_000;

/** One call, and how its response is read. */
interface Call<Result> {
  /** GET reads a public page. It has neither credentials nor ids, for which a browser would send a preflight. */
  readonly method?: 'GET';
  readonly path: string;
  readonly data?: object;
  readonly writes?: boolean;
  readonly options: WriteOptions;
  /**
   * Reads a response. A `streams` call's result is read after the call, ended by the caller's signals alone until `end` is
   * called.
   */
  readonly read: (response: Response, end: () => void) => Promise<Result>;
  readonly streams?: boolean;
}

/** Sends calls with the credentials of a client. */
export interface Connection {
  /** Of the client; undefined without one. */
  readonly signal: AbortSignal | undefined;
  /** Throws a StewardError, or the reason of the caller's signal. */
  send<Result>(call: Call<Result>): Promise<Result>;
  /** Returns the result of a call. Throws as `send` does. */
  call(path: string, writes: boolean, data?: object, options?: WriteOptions): Promise<unknown>;
  /** Returns the public keys of the service. Throws as `send` does. */
  publishedKeys(options: CallOptions): Promise<Jwks>;
}

export function connect(options: ClientOptions & Credentials): Connection {
  const { maxAttempts = defaultAttempts, timeoutMs = defaultTimeoutMs } = options;
  const { fetch = (input, init) => globalThis.fetch(input, init) } = options;
  const origin = withoutTrailingSlashes(options.baseUrl ?? '');
  const agent = agentHeader(options.userAgent);
  const credentials = credentialHeaders(options);
  async function send<Result>(call: Call<Result>): Promise<Result> {
    const url = origin + call.path;
    const ofCall = call.method === 'GET' ? {} : { ...credentials, ...ownHeaders(call, maxAttempts > 1) };
    const init = { ...requestOf(call), headers: { ...agent, ...ofCall } };
    const deadline = beginDeadline(call.options.timeoutMs ?? timeoutMs, [
      options.signal,
      call.options.signal,
    ]);
    const { signal } = deadline;
    const attempt = async (): Promise<Result> => {
      try {
        return await call.read(await fetch(url, { ...init, signal }), deadline.end);
      } catch (error) {
        if (error instanceof StewardError || signal.aborted) throw error;
        throw new ConnectionError(withoutResponse('UNAVAILABLE', `No response from ${url}.`), error);
      }
    };
    try {
      const result = await withRetries(attempt, { maxAttempts, endAt: deadline.endAt, signal });
      if (call.streams === true) deadline.endLimit();
      else deadline.end();
      return result;
    } catch (error) {
      deadline.end();
      if (!signal.aborted || error instanceof StewardError) throw error;
      if (!deadline.timedOut()) throw signal.reason;
      const message = `No response from ${url} within timeoutMs.`;
      throw new DeadlineExceededError(withoutResponse('DEADLINE_EXCEEDED', message), error);
    }
  }
  return {
    signal: options.signal,
    send,
    call: (path, writes, data = {}, callOptions = {}) =>
      send({ path, writes, data, options: callOptions, read: resultOf }),
    publishedKeys: (callOptions) =>
      send({ method: 'GET', path: '/.well-known/jwks.json', options: callOptions, read: jsonOf<Jwks> }),
  };
}

const withoutResponse = (status: ErrorStatus, message: string): Failure => ({
  status,
  message,
  details: {},
  httpStatus: 0,
  requestId: '',
});

/** The request of a call, the same in all attempts. */
function requestOf({ method, data }: Call<unknown>): RequestInit {
  return {
    // A redirect must not carry the credentials elsewhere, and the API uses no cookies.
    redirect: 'error',
    credentials: 'omit',
    ...(method === undefined && { method: 'POST', body: JSON.stringify({ data }) }),
  };
}

/** The headers of one operation; all of its attempts have the same. */
function ownHeaders({ writes, options }: Call<unknown>, retries: boolean): Record<string, string> {
  const { requestId, idempotencyKey = writes && retries ? randomKey() : undefined } = options;
  return {
    'content-type': 'application/json',
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    ...(requestId !== undefined && { 'x-request-id': requestId }),
  };
}

/** `randomUUID` is missing on pages that are not served by https. */
function randomKey(): string {
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(36)).join('-');
}

function credentialHeaders(credentials: Credentials): Record<string, string> {
  if ('operatorToken' in credentials) return { 'x-svc-operator-token': credentials.operatorToken };
  if ('workspaceId' in credentials) {
    return {
      'x-svc-workspace-id': credentials.workspaceId,
      'x-svc-workspace-auth-token': credentials.workspaceAuthToken,
    };
  }
  return { 'x-svc-api-key': credentials.apiKey, 'x-svc-auth-token': credentials.authToken };
}

/** A browser would send a preflight for this header, and sends its own. */
function agentHeader(program: string | undefined): Record<string, string> {
  const runtime = (globalThis as { readonly navigator?: { readonly userAgent?: string } }).navigator
    ?.userAgent;
  if (runtime?.startsWith('Mozilla/') === true) return {};
  return { 'user-agent': [program, `steward-client/${version}`, runtime].filter(Boolean).join(' ') };
}

/** Linear; the expression `/\/+$/` takes quadratic time on a run of slashes. */
function withoutTrailingSlashes(url: string): string {
  let end = url.length;
  while (url[end - 1] === '/') end -= 1;
  return url.slice(0, end);
}
