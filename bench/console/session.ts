import type { Site } from '../site.ts';

/** Credentials of a sign-in: `POST /console/session`. */
export type Credentials =
  { readonly workspaceId: string; readonly authToken: string } | { readonly operatorToken: string };

/** A session of the console without a browser. */
export interface BenchSession {
  /** The cookie of the session. */
  readonly cookie: { readonly name: string; readonly value: string };
  /** Headers of the calls of operations. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Calls a path as the console's own pages do. Throws when the call fails. */
export async function posted(
  url: string,
  headers: Readonly<Record<string, string>>,
  data: object,
): Promise<{ readonly response: Response; readonly text: string }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ data }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${new URL(url).pathname} returned ${String(response.status)}: ${text}`);
  return { response, text };
}

export async function signIn(
  { url }: { readonly url: string },
  credentials: Credentials,
): Promise<BenchSession> {
  const page = { origin: url, 'sec-fetch-site': 'same-origin' };
  const { response, text } = await posted(`${url}/console/session`, page, credentials);
  const [name = '', value = ''] = (response.headers.getSetCookie()[0] ?? '').split(';')[0]?.split('=') ?? [];
  const { result } = JSON.parse(text) as { result: { data: { csrfToken: string } } };
  return {
    cookie: { name, value },
    headers: { ...page, cookie: `${name}=${value}`, 'x-console-csrf': result.data.csrfToken },
  };
}

/** Credentials of the workspace that owns every key of the run. */
export const ofWorkspace = ({ workspace: { workspaceId, authToken } }: Site): Credentials => ({
  workspaceId,
  authToken,
});

/** An operation as the console's pages call it. `keyId` is undefined for operations on the whole workspace. */
export interface Operation {
  readonly path: string;
  readonly keyId?: string | undefined;
}

/** The result of a call, and the milliseconds until its last byte. */
export interface TimedCall {
  readonly ms: number;
  readonly body: unknown;
}

/** Calls an operation with the session's cookie. */
export async function timedCall(
  { url }: { readonly url: string },
  { headers }: BenchSession,
  { path, keyId }: Operation,
  data: object,
): Promise<TimedCall> {
  const began = performance.now();
  const { text } = await posted(
    `${url}/console/api${path}`,
    { ...headers, ...(keyId !== undefined && { 'x-console-key': keyId }) },
    data,
  );
  return { ms: performance.now() - began, body: JSON.parse(text) as unknown };
}
