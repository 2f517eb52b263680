import { queryOptions } from '@tanstack/react-query';
import { StewardError } from '@steward/client';
import { takeCode } from './sign-in-link.ts';
import { within } from './within.ts';

/** The response of `/console/session`. Times are milliseconds since the epoch. */
export interface Session {
  readonly kind: 'workspace' | 'key' | 'operator';
  /** Name or id of the signed-in workspace, key or operator token. */
  readonly actor: string;
  readonly csrfToken: string;
  readonly createdAt: number;
  readonly idleExpiresAt: number;
  readonly expiresAt: number;
  /** False for operators, unless the deployment shows them customers' content. */
  readonly seesContent: boolean;
  /** Null allows every operation. */
  readonly scopes: readonly string[] | null;
  /** Whether operations of API keys may be called. */
  readonly actsForKeys: boolean;
  /** The first 100 keys of the session. */
  readonly apiKeys: readonly SessionKey[];
  readonly temporalUiUrl: string | null;
  readonly version: string;
}

export interface SessionKey {
  /** Public id, `akid_…`. */
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
}

/** The key that is shown before one is chosen: the first enabled one, because calls of a disabled key are refused. */
export const defaultKeyOf = ({ apiKeys }: Session): SessionKey | undefined =>
  apiKeys.find(({ enabled }) => enabled) ?? apiKeys[0];

/** A session as `/console/sessions` lists it. */
export interface ListedSession {
  readonly id: string;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly expiresAt: number;
  readonly userAgent: string | null;
  readonly current: boolean;
}

/** The input of a sign-in: credentials, or the code of a sign-in link. */
export type SignIn =
  | { readonly workspaceId: string; readonly authToken: string }
  | { readonly apiKey: string; readonly authToken: string }
  | { readonly operatorToken: string }
  | { readonly code: string };

/** Kept in memory only. Each request of an operation carries it. */
let csrfToken = '';

const timeoutMs = 30_000;

/** The code of the link that opened the page. */
let linkCode = takeCode();
/** A code works once, but the query may start again before the sign-in ends. */
let linkSignIn: Promise<Session> | undefined;

/**
 * Returns the session of the sign-in link or of the cookie, or null. Throws a StewardError. When another tab has opened
 * another session, reloads this one: its data and forms are those of the earlier session.
 */
async function readSession(signal: AbortSignal): Promise<Session | null> {
  if (linkCode !== undefined) {
    linkSignIn ??= signIn({ code: linkCode }).finally(() => {
      linkCode = undefined;
    });
    return await linkSignIn;
  }
  try {
    const former = csrfToken;
    const session = await kept(call('GET', '/console/session', { signal }));
    if (former === '' || former === session.csrfToken) return session;
    location.reload();
    // Nothing is shown until the page is gone.
    return await new Promise<never>(() => undefined);
  } catch (error) {
    if (isSignedOut(error)) return null;
    throw error;
  }
}

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => readSession(signal),
});

/** Exchanges credentials for a session. Throws a StewardError. */
export const signIn = (credentials: SignIn): Promise<Session> =>
  kept(call('POST', '/console/session', { data: credentials }));

export async function signOut(): Promise<void> {
  await call('DELETE', '/console/session');
  csrfToken = '';
}

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => call<readonly ListedSession[]>('GET', '/console/sessions', { signal }),
});

export async function revokeSession(id: string): Promise<void> {
  await call('DELETE', `/console/sessions/${encodeURIComponent(id)}`);
}

export const isSignedOut = (error: unknown): boolean =>
  error instanceof StewardError && error.httpStatus === 401;

/** Whether a call was refused: the session has no access, or another tab has replaced it. */
export const isDenied = (error: unknown): boolean =>
  error instanceof StewardError && error.httpStatus === 403;

/** The header of each request of an operation. */
export const csrfHeader = (): readonly [name: string, value: string] => ['x-console-csrf', csrfToken];

async function kept(reading: Promise<Session>): Promise<Session> {
  const session = await reading;
  csrfToken = session.csrfToken;
  return session;
}

interface Body<Data> {
  readonly result?: { readonly data: Data };
  readonly error?: {
    readonly status?: string;
    readonly message?: string;
    readonly details?: Readonly<Record<string, unknown>>;
  };
}

/** Calls a route of sessions. These routes use the envelope of operations without being operations. */
async function call<Data>(
  method: string,
  path: string,
  { data, signal }: { readonly data?: SignIn; readonly signal?: AbortSignal } = {},
): Promise<Data> {
  const init: RequestInit = {
    method,
    headers: { 'content-type': 'application/json', ...Object.fromEntries([csrfHeader()]) },
    ...(data !== undefined && { body: JSON.stringify({ data }) }),
  };
  const { response, body } = await within(timeoutMs, signal, async (joined) => {
    const received = await fetch(path, { ...init, signal: joined });
    const parsed = (await received.json().catch(() => undefined)) as Body<Data> | undefined;
    return { response: received, body: parsed };
  }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw failure(0, 'UNAVAILABLE', 'The API does not respond.', '', error);
  });
  const requestId = response.headers.get('x-request-id') ?? '';
  if (response.ok && body?.result !== undefined) return body.result.data;
  if (response.ok) return undefined as Data;
  const { status = 'UNAVAILABLE', message = `HTTP status ${String(response.status)}.` } = body?.error ?? {};
  throw failure(response.status, status, message, requestId);
}

const failure = (httpStatus: number, status: string, message: string, requestId: string, cause?: unknown) =>
  new StewardError({ status, message, details: {}, httpStatus, requestId }, cause);
