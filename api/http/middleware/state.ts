import type { Middleware, ParameterizedContext } from 'koa';
import type { ErrorStatus } from '../../../domain/errors.ts';
import type { IdempotentRequest } from '../../../domain/idempotency/idempotency.ts';
import type { Authenticated } from '../caller/authenticate.ts';
import type { Call, Credentials, Endpoint } from '../endpoint.ts';
import type { SentData } from '../request/parse-json.ts';
import type { Reception } from '../request/receive-body.ts';

/** One route of an endpoint: an endpoint under both versions has two. */
export interface Operation {
  readonly endpoint: Endpoint;
  /** Also the route's name. */
  readonly path: string;
}

/** What the router leaves in the context: the routes of the request's path, whichever methods they take. */
export interface Routed {
  readonly matched?: readonly { readonly name: string | undefined; readonly methods: readonly string[] }[];
}

/** Of every request. `requestId` leaves the id; the other members are set where they become known, for the access log. */
export interface RequestState {
  requestId: string;
  /** Public id of the caller, once its credentials were right. */
  keyId?: string;
  /** The error's status. */
  failure?: ErrorStatus;
  /** The response is that of an earlier request with the same Idempotency-Key. */
  replayed?: boolean;
}

/** What `declaredSize` leaves. */
export interface SizedState extends RequestState {
  reception: Reception;
  /** The size is known only once the body has been received. */
  chunked: boolean;
}

/** What `credentials` leaves. */
export interface AuthenticatedState extends SizedState {
  authenticated: Authenticated;
  /** When the credentials were found right, on the clock of `performance.now()`. */
  authenticatedAt: number;
  /** The whole body, by the first middleware that needs it: `rateLimit` for a chunked body, else `body`. */
  received?: Buffer;
}

/** What `body` leaves. */
export interface ReceivedState extends AuthenticatedState {
  /** Of the body. */
  bytes: number;
  sent: SentData;
}

/** What `validation` leaves. */
export interface ValidatedState extends ReceivedState {
  /** Of a mutating endpoint's request that has one. */
  idempotencyKey: string | undefined;
  call: Call<Credentials, unknown>;
}

/** What `idempotency` leaves. */
export interface IdempotentState extends ValidatedState {
  /** Undefined without a key. */
  idempotent?: IdempotentRequest;
}

/** A request's context, with what the middleware before has left. */
export type RequestContext<State extends RequestState = RequestState> = ParameterizedContext<State, Routed>;

/** Middleware that needs, or leaves, the members of `State`. */
export type RequestMiddleware<State extends RequestState = RequestState> = Middleware<State, Routed>;

/** The name of the route that has the request's path; undefined where none has. */
export const routeName = ({ matched }: Routed): string | undefined => matched?.[0]?.name;
