import type { Middleware, ParameterizedContext } from 'koa';
import type { ErrorStatus } from '../../../domain/errors.ts';
import type { IdempotentRequest } from '../../../domain/idempotency/idempotent-request.ts';
import type { Authenticated } from '../caller/authenticate.ts';
import type { Call, Credentials, Endpoint } from '../endpoint.ts';
import type { RefusalKind } from '../response/transport-error.ts';
import type { SentData } from '../request/parse-json.ts';
import type { Reception } from '../request/receive-body.ts';

/** One route of an endpoint. An endpoint on `/v1` and `/v2` has two. */
export interface Operation {
  readonly endpoint: Endpoint;
  /** Also the route's name. */
  readonly path: string;
}

/** Context members that the router sets: the routes that match the path, with any method, and parameters of the path. */
export interface Routed {
  readonly params?: Readonly<Record<string, string>>;
  readonly matched?: readonly { readonly name: string | undefined; readonly methods: readonly string[] }[];
}

/** The console session of a call: the actor of its audit entries. */
export interface CallingSession {
  /** Public id, `ses_…`. */
  readonly id: string;
  /** The credentials that it was opened with. */
  readonly kind: Credentials;
  /** The workspace or the key that it belongs to, by public id. */
  readonly owner: { readonly workspaceId?: string; readonly keyId?: string };
}

/**
 * State of every request. `requestId` and `callerAddress` set the first two members; later middleware sets the others,
 * for the access log.
 */
export interface RequestState {
  requestId: string;
  /** IP address of the caller, in canonical form; empty when the connection has ended. */
  address: string;
  /** Public id of the authenticated API key, workspace or operator token. */
  callerId?: string;
  /** Set for calls of the console, once the session is known. */
  session?: CallingSession;
  /** Size of the body, once it was received. */
  bytes?: number;
  /** Bytes of a response that was written in chunks. */
  streamedBytes?: number;
  /** Error status of a failed request. */
  failure?: ErrorStatus;
  /** True when the caller sent credentials that do not match. */
  wrongCredentials?: boolean;
  /** Why the HTTP layer or a dependency refused the request. */
  refusal?: RefusalKind;
  /** Set once the caller is authenticated. */
  authenticated?: Authenticated;
  /** True when an earlier response is replayed for the Idempotency-Key. */
  replayed?: boolean;
  /** What `whenFinished` runs once the middleware has ended; undefined afterwards. */
  whenHandled?: (() => void)[] | undefined;
}

/** State that `declaredSize` sets. */
export interface SizedState extends RequestState {
  reception: Reception;
  /** The body has no declared size. */
  chunked: boolean;
}

/** State that `credentials` sets. */
export interface AuthenticatedState extends SizedState {
  authenticated: Authenticated;
  /** Time of authentication, by `performance.now()`. */
  authenticatedAt: number;
  /** The whole body. `rateLimit` sets it for a chunked body, else `body` does. */
  received?: Buffer;
}

/** State that `body` sets. */
export interface ReceivedState extends AuthenticatedState {
  bytes: number;
  /** Set until `idempotency` releases it. */
  sent: SentData | undefined;
}

/** Returns the data as sent. Throws once it is released. */
export function sentOf(sent: SentData | undefined): SentData {
  if (sent === undefined) throw new Error('released data of a request');
  return sent;
}

/** State that `validation` sets. */
export interface ValidatedState extends ReceivedState {
  /** Undefined for reading endpoints and requests without a key. */
  idempotencyKey: string | undefined;
  call: Call<Credentials, unknown>;
}

/** State that `idempotency` sets. */
export interface IdempotentState extends ValidatedState {
  /** Undefined without an Idempotency-Key. */
  idempotent?: IdempotentRequest | undefined;
}

/** The Koa context of a request, with the state that earlier middleware has set. */
export type RequestContext<State extends RequestState = RequestState> = ParameterizedContext<State, Routed>;

/** Middleware that reads or sets the members of `State`. */
export type RequestMiddleware<State extends RequestState = RequestState> = Middleware<State, Routed>;

/** Authenticates the caller of an operation. `body` calls it again when the body took long to arrive. */
export type Identify = (context: RequestContext) => Promise<Authenticated>;

/** Returns the name of the matched route, or undefined. */
export const routeName = ({ matched }: Routed): string | undefined => matched?.[0]?.name;
