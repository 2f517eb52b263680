import { authenticateSession, type ConsoleSession } from '../../domain/console/authenticate-session.ts';
import type { StoredOperator } from '../../domain/credentials/authenticate.ts';
import { invalidMember } from '../../domain/errors.ts';
import { scopeIncludes } from '../../domain/tenancy/operator-scopes.ts';
import { sha256 } from '../../platform/encryption/tokens.ts';
import type { Gateway } from '../http/application.ts';
import {
  authenticatedKey,
  authenticatedOperator,
  authenticatedWorkspace,
  checkScope,
  firstOperator,
  type Authenticated,
} from '../http/caller/authenticate.ts';
import { checkActive } from '../http/caller/check-active.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { httpMessages } from '../http/messages.ts';
import { admitToken } from '../http/middleware/credentials.ts';
import { reportingRate } from '../http/middleware/rate-headers.ts';
import type { CallingSession, Identify, RequestContext } from '../http/middleware/state.ts';
import { TransportError } from '../http/response/transport-error.ts';
import { consoleMessages } from './messages.ts';
import { showsNoContent } from './operator-content.ts';
import { csrfMatches, sessionIdOf } from './session-cookie.ts';

/** Dependencies of sessions. */
export interface Sessions extends Gateway {
  readonly operatorSeesContent: boolean;
}

/** A valid session and its id, the secret of the cookie. */
export interface OpenSession extends ConsoleSession {
  readonly sessionId: string;
}

const denied = (message: string): TransportError => new TransportError('PERMISSION_DENIED', message);

/** Returns the session of the cookie. Throws UNAUTHENTICATED without a valid one. */
export async function requireSession(
  { orm, keyRing, operatorToken }: Pick<Gateway, 'orm' | 'keyRing' | 'operatorToken'>,
  context: RequestContext,
  sessionId = sessionIdOf(context),
): Promise<OpenSession> {
  const named = context.headers['x-console-key'];
  const keyId = typeof named === 'string' ? named : undefined;
  const { requestId } = context.state;
  const found = sessionId && (await authenticateSession(orm.em, keyRing, { sessionId, keyId, requestId }));
  if (!found || !sessionId || !isCurrent(found, operatorToken))
    throw new TransportError('UNAUTHENTICATED', consoleMessages.signInRequired, { refusal: 'credentials' });
  context.state.session = callingSession(found);
  return { ...found, sessionId };
}

/** A session of STEWARD_OPERATOR_TOKEN ends when the setting changes. */
const isCurrent = (
  { kind, operator, tokenHash }: ConsoleSession,
  operatorToken: string | undefined,
): boolean =>
  kind !== 'operator' ||
  operator !== undefined ||
  (operatorToken !== undefined && sha256(operatorToken).equals(tokenHash));

function callingSession({ id, kind, workspace, key }: ConsoleSession): CallingSession {
  const owner = {
    ...(workspace && { workspaceId: workspace.workspaceId }),
    ...(key && { keyId: key.tenant.keyId }),
  };
  return { id, kind, owner };
}

/** The operator token of a session. */
export const operatorOf = ({ kind, operator }: ConsoleSession): StoredOperator | undefined =>
  kind === 'operator' ? (operator ?? firstOperator) : undefined;

/**
 * Authenticates a call of the console by its session. Throws UNAUTHENTICATED without a session; PERMISSION_DENIED
 * without its CSRF token, or for an operation or key that the session may not use.
 */
export const bySession =
  (sessions: Sessions, endpoint: Endpoint): Identify =>
  async (context) => {
    const session = await requireSession(sessions, context);
    if (!csrfMatches(context, session.sessionId)) throw denied(consoleMessages.csrfMismatch);
    const authenticated = authenticatedBy(session, endpoint, context);
    context.state.callerId = authenticated.publicId;
    reportingRate(context, sessions.rateLimiter, authenticated, () => {
      checkActive(authenticated);
      checkScope(authenticated, endpoint);
      const operator = operatorOf(session);
      if (operator !== undefined && endpoint.credentials === 'apiKey')
        checkActing(operator, endpoint, sessions.operatorSeesContent);
      admitToken(sessions, endpoint, authenticated);
    });
    return authenticated;
  };

function authenticatedBy(
  session: OpenSession,
  { credentials }: Endpoint,
  { headers }: RequestContext,
): Authenticated {
  switch (credentials) {
    case 'operator': {
      const operator = operatorOf(session);
      if (operator === undefined) throw denied(consoleMessages.kindNotOfSession);
      return authenticatedOperator(operator);
    }
    case 'workspace': {
      const { workspace } = session;
      if (workspace === undefined) throw denied(consoleMessages.kindNotOfSession);
      // A session of a disabled workspace is not found.
      return authenticatedWorkspace(workspace, null);
    }
    case 'apiKey': {
      const { key } = session;
      if (key === undefined && headers['x-console-key'] === undefined)
        throw invalidMember('', consoleMessages.keyRequired);
      if (key === undefined) throw denied(consoleMessages.keyNotOfSession);
      return authenticatedKey(key, session.kind === 'apiKey' ? key.token : undefined);
    }
  }
}

/**
 * An operator needs a token that may act for keys, and the scope `operate` or higher to write. Content is hidden by
 * default.
 */
function checkActing(operator: StoredOperator, endpoint: Endpoint, seesContent: boolean): void {
  if (!operator.actsForKeys) throw denied(consoleMessages.cannotActForKeys);
  const needed = endpoint.mutates ? 'operate' : 'read';
  if (!scopeIncludes(operator.scope, needed))
    throw denied(httpMessages.operatorScopeTooSmall(needed, operator.scope));
  if (!seesContent && !showsNoContent(endpoint)) throw denied(consoleMessages.contentHidden);
}
