import type { Actor } from '../../../domain/audit/record-entries.ts';
import { authTokenIdOf, keyIdOf } from '../../../domain/workspaces/key-ids.ts';
import type { Credentials } from '../endpoint.ts';
import type { RequestContext } from '../middleware/state.ts';

/** The caller of an audited call. Its id is null while the credentials are not proven. */
export function actorOf({ state, headers }: RequestContext, kind: Credentials): Actor {
  const { keyId: proven = null, requestId, address } = state;
  const byToken = kind === 'apiKey' && proven !== null;
  return {
    kind,
    id: byToken ? authTokenIdOf(String(headers['x-svc-auth-token'])) : proven,
    address,
    requestId,
  };
}

/** The workspace or the key that the credentials of a denied call name, rightly or not. */
export function namedOwner(
  { headers }: RequestContext,
  kind: Credentials,
): { readonly workspaceId?: string; readonly keyId?: string } {
  switch (kind) {
    case 'apiKey':
      return { keyId: keyIdOf(String(headers['x-svc-api-key'])) };
    case 'workspace':
      return { workspaceId: String(headers['x-svc-workspace-id']) };
    case 'operator':
      return {};
  }
}
