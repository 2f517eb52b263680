import type { TestApi } from './api.ts';
import { aClient, type TestClient } from './client.ts';

/** The response of `POST /console/session`. */
export interface ShownSession {
  readonly id: string;
  readonly kind: string;
  readonly actor: string;
  readonly csrfToken: string;
  readonly createdAt: number;
  readonly idleExpiresAt: number;
  readonly expiresAt: number;
  readonly seesContent: boolean;
  readonly scopes: readonly string[] | null;
  readonly operatorScope: string | null;
  readonly actsForKeys: boolean;
  readonly apiKeys: readonly { readonly id: string; readonly name: string; readonly enabled: boolean }[];
  readonly temporalUiUrl: string | null;
  readonly version: string;
}

/** A signed-in browser. Its client calls operations by their own paths. */
export interface SignedIn extends TestClient {
  readonly session: ShownSession;
  /** The cookie as `name=value`. */
  readonly cookie: string;
  /** Calls paths of the console itself. */
  readonly pages: TestClient;
  /** Returns a client whose calls name this key, `akid_…`. */
  forKey(keyId: string): TestClient;
}

/** A page of the console in a browser, before the sign-in. */
export const aPage = (api: Pick<TestApi, 'url'>): TestClient =>
  aClient(api.url, {
    'sec-fetch-site': 'same-origin',
    origin: api.url,
    'user-agent': 'Browser of the tests',
  });

/** Returns the cookie that a response sets, in the form that a browser sends. */
export const cookieOf = (setCookie: readonly string[] = []): string => setCookie[0]?.split(';')[0] ?? '';

/** Signs in. The returned session keeps the cookie. */
export async function signIn(api: Pick<TestApi, 'url'>, credentials: object): Promise<SignedIn> {
  const response = await aPage(api).call('/console/session', credentials);
  if (response.body.result === undefined) throw new Error(`sign-in failed: ${response.text}`);
  const session = response.body.result.data as ShownSession;
  const cookie = cookieOf(response.headers['set-cookie']);
  const pages = aPage(api).with({ cookie, 'x-console-csrf': session.csrfToken });
  return { ...operationsOf(pages), session, cookie, pages, forKey: (id) => callerFor(pages, id) };
}

const callerFor = (pages: TestClient, keyId: string): TestClient =>
  operationsOf(pages.with({ 'x-console-key': keyId }));

/** A client that calls the operations of the API below `/console/api`. */
const operationsOf = (pages: TestClient): TestClient => ({
  headers: pages.headers,
  call: (path, data, options) => pages.call(`/console/api${path}`, data, options),
  ok: (path, data, options) => pages.ok(`/console/api${path}`, data, options),
  refused: (path, data, options) => pages.refused(`/console/api${path}`, data, options),
  with: (headers) => operationsOf(pages.with(headers)),
});
