/** Options of every call. */
export interface CallOptions {
  /** Cancels the call, or the wait before its next attempt; the call then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Limit of the whole call with its retries, in milliseconds; default: the client's. Of an export, up to its headers. */
  readonly timeoutMs?: number | undefined;
  /** Your id for the request, sent as X-Request-Id: up to 128 visible characters. */
  readonly requestId?: string | undefined;
}

/** Options of calls that change data. */
export interface WriteOptions extends CallOptions {
  /**
   * Up to 255 visible characters. Calls with one key return the response of the first one for 24 hours. By default each call has
   * a key of its own, which its retries keep.
   */
  readonly idempotencyKey?: string | undefined;
}

/** Options of a client. */
export interface ClientOptions {
  /** URL of Steward, for instance `https://steward.example.com`. Optional on pages of Steward's own origin. */
  readonly baseUrl?: string | undefined;
  /**
   * Max attempts of a call; default 3. Retried are failed connections and the statuses 409 ABORTED, 429, 502 and 503. With 1,
   * writes are sent without an automatic idempotency key.
   */
  readonly maxAttempts?: number | undefined;
  /** Limit of each call with its retries, in milliseconds; default 60,000. Of an export, up to its headers. */
  readonly timeoutMs?: number | undefined;
  /** Cancels every call; combined with the signal of a call's options. */
  readonly signal?: AbortSignal | undefined;
  /** Name and version of your program, for the User-Agent header. Browsers send their own header. */
  readonly userAgent?: string | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** Credentials of an API key. */
export interface ApiKeyCredentials {
  readonly apiKey: string;
  readonly authToken: string;
}

/** Credentials of a workspace. */
export interface WorkspaceCredentials {
  readonly workspaceId: string;
  readonly workspaceAuthToken: string;
}

/** Credentials of an operator of the deployment. */
export interface OperatorCredentials {
  readonly operatorToken: string;
}

export type Credentials = ApiKeyCredentials | WorkspaceCredentials | OperatorCredentials;
