import { createHmac } from 'node:crypto';
import { sessionTimesMs } from '../../domain/console/session-times.ts';
import { isLoopback } from '../../platform/config/read-configuration.ts';
import { sameSecret } from '../../platform/encryption/tokens.ts';
import { parseWebUrl } from '../../platform/network/parse-web-url.ts';
import type { RequestContext } from '../http/middleware/state.ts';

/** Browsers keep a cookie with this prefix only from a secure origin and for this host, so no other host can set it. */
const secureName = '__Host-steward_console';
/** Accepted only on a loopback address, where there is no TLS. */
const localName = 'steward_console';

/**
 * Whether browser and API run on one machine without a proxy between them: caller's address and requested host are
 * loopback.
 */
export function isLocal({ state, headers }: RequestContext): boolean {
  if (headers['x-forwarded-for'] !== undefined) return false;
  const { hostname = '' } = parseWebUrl(`http://${headers.host ?? ''}`) ?? {};
  return isLoopback(hostname.replace(/^\[|\]$/g, '')) && isLoopback(state.address);
}

/** The session id of the cookie. */
export function sessionIdOf(context: RequestContext): string | undefined {
  const id = context.cookies.get(secureName);
  return id ?? (isLocal(context) ? context.cookies.get(localName) : undefined);
}

/** Sets the cookie of a session; undefined deletes it. */
export function setSessionCookie(context: RequestContext, sessionId: string | undefined): void {
  const { origin = 'http:' } = context.headers;
  const local = isLocal(context) && origin.startsWith('http:');
  const [name, other] = local ? [localName, secureName] : [secureName, localName];
  appendCookie(context, name, sessionId);
  // Cookies of a host are sent to each of its ports. One of an earlier sign-in would hide the one of this session.
  appendCookie(context, other, undefined);
}

function appendCookie(context: RequestContext, name: string, sessionId: string | undefined): void {
  const seconds = sessionId === undefined ? 0 : sessionTimesMs.absolute / 1_000;
  const secure = name === secureName ? '; Secure' : '';
  context.append(
    'Set-Cookie',
    `${name}=${sessionId ?? ''}; Path=/; Max-Age=${String(seconds)}; HttpOnly; SameSite=Strict${secure}`,
  );
}

/** The token that calls of a session send in `x-console-csrf`. Computing it requires the cookie. */
export const csrfTokenOf = (sessionId: string): string =>
  createHmac('sha256', sessionId).update('console csrf').digest('base64url');

export function csrfMatches({ headers }: RequestContext, sessionId: string): boolean {
  const sent = headers['x-console-csrf'];
  return typeof sent === 'string' && sameSecret(sent, csrfTokenOf(sessionId));
}
