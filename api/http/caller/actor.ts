import type { Actor } from '../../../domain/audit/record-entries.ts';
import { authTokenIdOf, keyIdOf } from '../../../domain/workspaces/key-ids.ts';
import type { Credentials } from '../endpoint.ts';
import type { RequestContext } from '../middleware/state.ts';

/**
 * The caller of an audited call: the session of the console, or the token. Its id is null until it is authenticated.
 */
export function actorOf({ state, headers }: RequestContext, kind: Credentials): Actor {
  const { callerId = null, requestId, address, session } = state;
  if (session !== undefined) return { kind: session.kind, id: session.id, address, requestId };
  const byToken = kind === 'apiKey' && callerId !== null;
  return {
    kind,
    id: byToken ? authTokenIdOf(String(headers['x-svc-auth-token'])) : callerId,
    address,
    requestId,
  };
}

/** The workspace or the key in the credentials of a denied call, even when they are wrong. */
export function namedOwner(
  { headers, state }: RequestContext,
  kind: Credentials,
): { readonly workspaceId?: string; readonly keyId?: string } {
  if (state.session !== undefined) return state.session.owner;
  switch (kind) {
    case 'apiKey':
      return { keyId: keyIdOf(String(headers['x-svc-api-key'])) };
    case 'workspace':
      return { workspaceId: String(headers['x-svc-workspace-id']) };
    case 'operator':
      return {};
  }
}
