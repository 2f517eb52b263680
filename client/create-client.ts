import type { credentialHeaders } from '../api/http/caller/authenticate.ts';
import type { Credentials } from '../api/http/endpoint.ts';
import type {
  CallArguments,
  DataOf,
  ListPathFor,
  Operations,
  PathFor,
  ReadOptions,
  ResultOf,
  WriteOptions,
} from './operations.ts';
import { send } from './send.ts';
import { withRetries } from './retry.ts';

interface Connection {
  /** URL of Steward; optional on pages of Steward's own origin. */
  readonly baseUrl?: string;
  /** Max retries of a call that may be retried; default 4. */
  readonly retries?: number;
  /** Cancels every call; combined with the signal of a call's options. */
  readonly signal?: AbortSignal;
}

export interface ApiKeyCredentials {
  readonly apiKey: string;
  readonly authToken: string;
}
export interface WorkspaceCredentials {
  readonly workspaceId: string;
  readonly workspaceAuthToken: string;
}
export interface OperatorCredentials {
  readonly operatorToken: string;
}

/** Calls the operations of one kind of credentials. */
export interface Client<Kind extends Credentials> {
  /** Returns `result`; throws a StewardError. */
  call<Path extends PathFor<Kind>>(path: Path, ...rest: CallArguments<Path>): Promise<ResultOf<Path>>;
  /** Iterates over the pages of a list, each like a result of `call`; requests a page when it is consumed. */
  pages<Path extends ListPathFor<Kind>>(
    path: Path,
    ...rest: CallArguments<Path>
  ): AsyncGenerator<ResultOf<Path>, void, undefined>;
}

/**
 * A typed client of the HTTP API. Needs only `fetch`; in a browser it works on pages of Steward's own origin, because the
 * API accepts no other.
 */
export function createClient(options: Connection & ApiKeyCredentials): Client<'apiKey'>;
export function createClient(options: Connection & WorkspaceCredentials): Client<'workspace'>;
export function createClient(options: Connection & OperatorCredentials): Client<'operator'>;
export function createClient(options: Connection & AnyCredentials): Client<Credentials> {
  const { baseUrl = '', retries = 4, signal: everyCall } = options;
  const origin = withoutTrailingSlashes(baseUrl);
  const credentials = headersOf(options);
  const call = async (path: string, data: object = {}, options: ReadOptions & WriteOptions = {}) => {
    const { idempotencyKey, retry = false, signal: thisCall } = options;
    const signal = everyCall && thisCall ? AbortSignal.any([everyCall, thisCall]) : (thisCall ?? everyCall);
    const headers = {
      ...credentials,
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    };
    const mayRetry = retry || idempotencyKey !== undefined;
    const attempt = () => send({ url: origin + path, headers, data, signal });
    return await withRetries(attempt, mayRetry ? retries : 0, signal);
  };
  async function* pages(path: string, data: object = {}, options: ReadOptions = {}) {
    let pageToken: string | undefined;
    do {
      const page = await call(path, pageToken === undefined ? data : { ...data, pageToken }, options);
      yield page;
      ({ nextPageToken: pageToken } = page as { nextPageToken?: string });
    } while (pageToken !== undefined);
  }
  // One untyped function serves all paths; only the types know its data and results.
  return { call, pages } as unknown as Client<Credentials>;
}

type AnyCredentials = ApiKeyCredentials | WorkspaceCredentials | OperatorCredentials;
type Header = (typeof credentialHeaders)[Credentials][number];

function headersOf(credentials: AnyCredentials): Partial<Record<Header, string>> {
  if ('operatorToken' in credentials) return { 'x-svc-operator-token': credentials.operatorToken };
  if ('workspaceId' in credentials) {
    return {
      'x-svc-workspace-id': credentials.workspaceId,
      'x-svc-workspace-auth-token': credentials.workspaceAuthToken,
    };
  }
  return { 'x-svc-api-key': credentials.apiKey, 'x-svc-auth-token': credentials.authToken };
}

/** For functions that take the data of a call or return its result. */
export type { DataOf, Operations, ResultOf };

/** Linear; the expression `/\/+$/` takes quadratic time on a run of slashes. */
function withoutTrailingSlashes(url: string): string {
  let end = url.length;
  while (url[end - 1] === '/') end -= 1;
  return url.slice(0, end);
}
