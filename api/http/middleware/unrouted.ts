import { frameMessages } from '../messages.ts';
import { TransportError } from '../response/transport-error.ts';
import type { RequestContext } from './state.ts';

/**
 * Stands behind the router and refuses what no route took: 404 for an unknown path, 405 with `Allow` for a method that the
 * path does not take. `allowedMethods()` of the router would return 200 to OPTIONS and 501 to methods that it does not know.
 */
export function unrouted({ matched = [] }: RequestContext): never {
  const methods = matched.flatMap((route) => route.methods);
  if (methods.length === 0) throw new TransportError('NOT_FOUND', frameMessages.unknownPath);
  const headers = { Allow: methods.sort().join(', ') };
  const message = methods.includes('POST') ? frameMessages.usePost : 'Use GET.';
  throw new TransportError('UNIMPLEMENTED', message, { httpStatus: 405, headers });
}
