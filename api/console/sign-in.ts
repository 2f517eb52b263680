import { z } from 'zod';
import { recordAuditEntries, type Actor } from '../../domain/audit/record-entries.ts';
import { openSession, type SessionOwner } from '../../domain/console/sessions.ts';
import { redeemSignInCode } from '../../domain/console/sign-in-codes.ts';
import { DomainError, permissionDenied } from '../../domain/errors.ts';
import { authTokenIdOf, keyIdOf } from '../../domain/workspaces/key-ids.ts';
import { withConnectionsOf } from '../../platform/database/connection-shares.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { sha256 } from '../../platform/encryption/tokens.ts';
import { inRetriedTransaction } from '../http/act/execute.ts';
import { authenticate, ownerOf, WrongCredentials } from '../http/caller/authenticate.ts';
import { checkActive } from '../http/caller/check-active.ts';
import type { Credentials } from '../http/endpoint.ts';
import { countedFailure } from '../http/middleware/credentials.ts';
import { tooManyRequests } from '../http/response/transport-error.ts';
import type { RequestContext } from '../http/middleware/state.ts';
import { text } from '../schemas.ts';
import { consoleMessages } from './messages.ts';
import type { Sessions } from './session-caller.ts';
import { isLocal, sessionIdOf } from './session-cookie.ts';

const secret = text(1_000).min(1);

/** The credentials of a sign-in. `code` comes from the sign-in link of `npm start`. */
export const signInData = z.union(
  [
    z.strictObject({ workspaceId: secret, authToken: secret }),
    z.strictObject({ apiKey: secret, authToken: secret }),
    z.strictObject({ operatorToken: secret }),
    z.strictObject({ code: secret }),
  ],
  { error: consoleMessages.signInData },
);
type SignInData = z.infer<typeof signInData>;

/** Credentials in the form that operations take, with the ids of their owner for the audit log. */
interface Sent {
  readonly kind: Credentials;
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly named: { readonly workspaceId?: string; readonly keyId?: string };
}

function sentBy(data: Exclude<SignInData, { code: string }>): Sent {
  if ('operatorToken' in data) {
    const { operatorToken: token } = data;
    return { kind: 'operator', token, headers: { 'x-svc-operator-token': token }, named: {} };
  }
  const { authToken: token } = data;
  if ('workspaceId' in data) {
    const { workspaceId } = data;
    const headers = { 'x-svc-workspace-id': workspaceId, 'x-svc-workspace-auth-token': token };
    return { kind: 'workspace', token, headers, named: { workspaceId } };
  }
  const headers = { 'x-svc-api-key': data.apiKey, 'x-svc-auth-token': token };
  return { kind: 'apiKey', token, headers, named: { keyId: keyIdOf(data.apiKey) } };
}

/** The owner of proven credentials, and the public id of their token. */
interface Proven {
  readonly owner: SessionOwner;
  readonly actorId: string;
  readonly named: Sent['named'];
}

/** The share of the connections of sign-ins by code, whose owner is unknown before the transaction. */
const codeOwner = 'console/code';

/**
 * Opens a session and returns its secret id. A failure counts in the limiter of failed credentials. The audit log records
 * both, with the session as target. Uses the owner's share of the connections, and a token of an API key's rate limit.
 */
export async function signIn(sessions: Sessions, context: RequestContext, data: SignInData): Promise<string> {
  const { requestId, address } = context.state;
  const sent = 'code' in data ? undefined : sentBy(data);
  const kind = sent?.kind ?? 'workspace';
  const actor = (id: string | null): Actor => ({ kind, id, address, requestId });
  try {
    const proven = sent && (await proveSent(sessions, sent, requestId));
    const open = async (em: EntityManager): Promise<string> => {
      const known = proven ?? (await proveCode(em, context, data));
      const signingIn = { userAgent: context.get('user-agent'), formerId: sessionIdOf(context) };
      const { sessionId, publicId } = await openSession(em, known.owner, signingIn);
      await recordAuditEntries(em, sessions.keyRing, {
        actor: actor(known.actorId),
        action: 'console.sign_in',
        outcome: 'succeeded',
        targets: [publicId],
        ...known.named,
      });
      return sessionId;
    };
    const owner = proven === undefined ? codeOwner : ownerOf({ scope: proven.owner });
    return await withConnectionsOf(owner, async () => inRetriedTransaction(sessions, open));
  } catch (error) {
    if (error instanceof DomainError && error.status === 'PERMISSION_DENIED')
      sessions.deniedAttempts.record({
        actor: actor(null),
        action: 'console.sign_in',
        ...sent?.named,
        onlyKnown: kind !== 'operator',
      });
    throw await countedFailure(sessions, error, context);
  }
}

async function proveSent(
  { orm, operatorToken, rateLimiter }: Sessions,
  sent: Sent,
  requestId: string,
): Promise<Proven> {
  const { kind, token, headers, named } = sent;
  const authenticated = await authenticate({ credentials: kind }, headers, {
    em: orm.em,
    operatorToken,
    requestId,
  });
  checkActive(authenticated);
  const { scope, limits, publicId } = authenticated;
  const rate = limits && rateLimiter.admit(scope.ownerId, limits);
  if (rate?.allowed === false) throw tooManyRequests(rate.retryAfter, 'rate');
  const owner = { kind, ownerId: scope.ownerId, tokenHash: sha256(token) };
  return { owner, named, actorId: kind === 'apiKey' ? authTokenIdOf(token) : publicId };
}

async function proveCode(em: EntityManager, context: RequestContext, data: SignInData): Promise<Proven> {
  if (!isLocal(context)) throw permissionDenied(consoleMessages.codeNotLocal);
  const found = 'code' in data ? await redeemSignInCode(em, data.code) : undefined;
  if (found === undefined) throw new WrongCredentials(consoleMessages.invalidCode);
  const { id: ownerId, workspaceId, tokenHash } = found;
  return { owner: { kind: 'workspace', ownerId, tokenHash }, actorId: workspaceId, named: { workspaceId } };
}
