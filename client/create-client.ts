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
import { tryAgain } from './try-again.ts';

interface Connection {
  /** Where Steward is; in a page of its own origin it may be left out. */
  readonly baseUrl?: string;
  /** How often a call that may be tried again is, at most; 4 unless said. */
  readonly retries?: number;
  /** Ends every call, with its reason; a signal of a call's own is heard as well. */
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

/** Calls the operations that one kind of credentials opens. */
export interface Client<Kind extends Credentials> {
  /** Answers `result`; throws a StewardError. */
  call<Path extends PathFor<Kind>>(path: Path, ...rest: CallArguments<Path>): Promise<ResultOf<Path>>;
  /** The pages of a list, each as `call` answers it, up to the last; read as they are asked for. */
  pages<Path extends ListPathFor<Kind>>(
    path: Path,
    ...rest: CallArguments<Path>
  ): AsyncGenerator<ResultOf<Path>, void, undefined>;
}

/**
 * A client of the HTTP API, typed by the operations themselves. Runs wherever there is `fetch`; in a browser only on
 * pages of Steward's own origin, which is the only one it answers.
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
    const mayTryAgain = retry || idempotencyKey !== undefined;
    const attempt = () => send({ url: origin + path, headers, data, signal });
    return await tryAgain(attempt, mayTryAgain ? retries : 0, signal);
  };
  async function* pages(path: string, data: object = {}, options: ReadOptions = {}) {
    let pageToken: string | undefined;
    do {
      const page = await call(path, pageToken === undefined ? data : { ...data, pageToken }, options);
      yield page;
      ({ nextPageToken: pageToken } = page as { nextPageToken?: string });
    } while (pageToken !== undefined);
  }
  // One untyped function for all paths: what is sent and answered is known by types alone.
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

/** For functions that take a call's data or hand on its result. */
export type { DataOf, Operations, ResultOf };

/** An expression such as `/\/+$/` would begin anew at each of many slashes. */
function withoutTrailingSlashes(url: string): string {
  let end = url.length;
  while (url[end - 1] === '/') end -= 1;
  return url.slice(0, end);
}
