import { httpMessages } from '../messages.ts';
import { TransportError } from '../response/transport-error.ts';
import type { RequestContext } from './state.ts';

/**
 * Responds to requests without a route: 404 for an unknown path, 405 with `Allow` for an unsupported method. The
 * router's `allowedMethods()` would return 200 for OPTIONS and 501 for unknown methods.
 */
export function unrouted({ matched = [] }: RequestContext): never {
  const methods = matched.flatMap((route) => route.methods);
  if (methods.length === 0) throw new TransportError('NOT_FOUND', httpMessages.unknownPath);
  const headers = { Allow: methods.sort().join(', ') };
  const message = methods.includes('POST') ? httpMessages.usePost : httpMessages.useGet;
  throw new TransportError('UNIMPLEMENTED', message, { headers });
}
