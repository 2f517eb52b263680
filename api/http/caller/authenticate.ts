import type { IncomingHttpHeaders } from 'node:http';
import {
  authenticateKey,
  authenticateOperator,
  authenticateWorkspace,
  type CallerToken,
  type Disabled,
  type KeyCaller,
  type StoredOperator,
  type WorkspaceCaller,
} from '../../../domain/credentials/authenticate.ts';
import type { IdempotencyScope } from '../../../domain/idempotency/idempotent-request.ts';
import { scopeIncludes } from '../../../domain/tenancy/operator-scopes.ts';
import type { CallerLimits } from '../../../domain/tenancy/key-limits.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { sameSecret } from '../../../platform/encryption/tokens.ts';
import type { Caller, Credentials, Endpoint } from '../endpoint.ts';
import { httpMessages } from '../messages.ts';
import { TransportError } from '../response/transport-error.ts';
import { originAllowed } from './origin.ts';

/** An authenticated caller. */
export interface Authenticated {
  readonly caller: Caller;
  /** Owner of the idempotency keys, rate limit and cursors. */
  readonly scope: IdempotencyScope;
  /** Public id of the API key, the workspace or the operator token, for logs. */
  readonly publicId: string;
  /** Set for API keys only. */
  readonly allowedDomains: readonly string[];
  /** Null for an active key or workspace, and for operators. */
  readonly disabled: Disabled | null;
  /** Undefined for operators and workspaces, and for a key that a session of another kind acts for. */
  readonly token: CallerToken | undefined;
  /** Set for API keys only. */
  readonly limits: CallerLimits | undefined;
}

/** Operators and workspaces may call from every page and have no limits of a key. */
const ofNoKey = { allowedDomains: [], token: undefined, limits: undefined } as const;

export const authenticatedOperator = (operator: StoredOperator): Authenticated => ({
  ...ofNoKey,
  caller: { operator },
  scope: { kind: 'operator', ownerId: operator.id },
  publicId: operator.tokenId,
  disabled: null,
});

export const authenticatedWorkspace = (
  workspace: WorkspaceCaller,
  disabled: Disabled | null,
): Authenticated => ({
  ...ofNoKey,
  caller: { workspace },
  scope: { kind: 'workspace', ownerId: workspace.id },
  publicId: workspace.workspaceId,
  disabled,
});

export const authenticatedKey = (
  { tenant, allowedDomains, disabled }: KeyCaller,
  token: CallerToken | undefined,
): Authenticated => ({
  caller: { tenant },
  scope: { kind: 'apiKey', ownerId: tenant.id },
  publicId: tenant.keyId,
  allowedDomains,
  disabled,
  token,
  limits: tenant.limits,
});

/** Names the caller in budgets, cursors and shares of connections: `apiKey/<surrogate key>`. */
export const ownerOf = ({ scope }: Pick<Authenticated, 'scope'>): string => `${scope.kind}/${scope.ownerId}`;

/** `ownerOf` the calls of an API key. */
export const keyOwner = (tenantId: string): string =>
  ownerOf({ scope: { kind: 'apiKey', ownerId: tenantId } });

/** Headers of each kind of credentials. All of them are required. */
export const credentialHeaders = {
  apiKey: ['x-svc-api-key', 'x-svc-auth-token'],
  workspace: ['x-svc-workspace-id', 'x-svc-workspace-auth-token'],
  operator: ['x-svc-operator-token'],
} as const satisfies Record<Credentials, readonly string[]>;

function header(headers: IncomingHttpHeaders, name: string, missing: string): string {
  const value = headers[name];
  if (typeof value !== 'string' || value === '')
    throw new TransportError('UNAUTHENTICATED', missing, { refusal: 'credentials' });
  return value;
}

/** All credential headers are present but do not match. The failure limiter counts these. */
export class WrongCredentials extends TransportError {
  constructor(message: string) {
    super('PERMISSION_DENIED', message, { refusal: 'credentials' });
    this.name = 'WrongCredentials';
  }
}

/** Dependencies of `authenticate`. */
export interface CredentialSources {
  readonly em: EntityManager;
  readonly operatorToken: string | undefined;
  readonly requestId: string;
}

/** STEWARD_OPERATOR_TOKEN. It is not stored. */
export const firstOperator: StoredOperator = {
  id: '0',
  tokenId: 'operator',
  name: 'STEWARD_OPERATOR_TOKEN',
  scope: 'admin',
  actsForKeys: true,
};

/** Throws UNAUTHENTICATED for a missing header and PERMISSION_DENIED, with one text, for any wrong credential. */
export async function authenticate(
  { credentials }: Pick<Endpoint, 'credentials'>,
  headers: IncomingHttpHeaders,
  { em, operatorToken, requestId }: CredentialSources,
): Promise<Authenticated> {
  switch (credentials) {
    case 'operator': {
      const token = header(headers, 'x-svc-operator-token', httpMessages.operatorHeaderMissing);
      const isFirst = operatorToken !== undefined && sameSecret(token, operatorToken);
      const operator = isFirst ? firstOperator : await authenticateOperator(em, token);
      if (operator === undefined) throw new WrongCredentials(httpMessages.invalidOperator);
      return authenticatedOperator(operator);
    }
    case 'workspace': {
      const workspaceId = header(headers, 'x-svc-workspace-id', httpMessages.workspaceHeaderMissing);
      const authToken = header(headers, 'x-svc-workspace-auth-token', httpMessages.authTokenHeaderMissing);
      const workspace = await authenticateWorkspace(em, { workspaceId, authToken });
      if (workspace === undefined) throw new WrongCredentials(httpMessages.invalidWorkspace);
      return authenticatedWorkspace(workspace, workspace.disabled);
    }
    case 'apiKey': {
      const apiKey = header(headers, 'x-svc-api-key', httpMessages.apiKeyHeaderMissing);
      const authToken = header(headers, 'x-svc-auth-token', httpMessages.authTokenHeaderMissing);
      const key = await authenticateKey(em, { apiKey, authToken }, requestId);
      if (key === undefined) throw new WrongCredentials(httpMessages.invalidApiKey);
      return authenticatedKey(key, key.token);
    }
  }
}

/** Throws PERMISSION_DENIED for an operator token whose scope is too small. */
export function checkScope({ caller }: Authenticated, { operatorScope: needed }: Endpoint): void {
  if (needed === undefined || !('operator' in caller)) return;
  const { scope } = caller.operator;
  if (!scopeIncludes(scope, needed))
    throw new TransportError('PERMISSION_DENIED', httpMessages.operatorScopeTooSmall(needed, scope));
}

/** Throws PERMISSION_DENIED when the `Origin` header is not among the allowed domains. */
export function checkOrigin(headers: IncomingHttpHeaders, allowedDomains: readonly string[]): void {
  const { origin, host } = headers;
  if (origin !== undefined && !originAllowed(origin, allowedDomains, host)) {
    throw new TransportError('PERMISSION_DENIED', httpMessages.originNotAllowed, { refusal: 'origin' });
  }
}
