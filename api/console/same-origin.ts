import type { Next } from 'koa';
import type { RequestContext } from '../http/middleware/state.ts';
import { TransportError } from '../http/response/transport-error.ts';
import { consoleMessages } from './messages.ts';
import { isLocal } from './session-cookie.ts';

/**
 * Refuses requests that a page of another origin caused: `Sec-Fetch-Site` must be `same-origin`. When the browser sends
 * none, `Origin` must be this one. A GET without either changes nothing, and no other page can read its response.
 */
export const sameOrigin =
  (publicUrl: string) =>
  async (context: RequestContext, next: Next): Promise<void> => {
    if (!isSameOrigin(context, publicUrl))
      throw new TransportError('PERMISSION_DENIED', consoleMessages.otherOrigin, { refusal: 'origin' });
    await next();
  };

function isSameOrigin(context: RequestContext, publicUrl: string): boolean {
  const { 'sec-fetch-site': site, origin, host = '' } = context.headers;
  if (site !== undefined) return site === 'same-origin';
  if (origin === undefined) return context.method === 'GET';
  // Browsers drop the session's cookie on pages of plain HTTP, except on a loopback address.
  if (origin.startsWith('http:')) return isLocal(context) && origin === `http://${host.toLowerCase()}`;
  return origin === `https://${host.toLowerCase()}` || origin === URL.parse(publicUrl)?.origin;
}
