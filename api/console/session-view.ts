import { idleExpiryOf } from '../../domain/console/session-times.ts';
import { listKeys } from '../../domain/workspaces/read-keys.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { ownVersion } from '../../platform/process/own-version.ts';
import type { OperatorScope } from '../../domain/tenancy/operator-scopes.ts';
import { csrfTokenOf } from './session-cookie.ts';
import { operatorOf, type OpenSession } from './session-caller.ts';

/** Max keys in a session's response; `apikeys/get` and `keys/list` return all. */
const maxKeys = 100;

interface SessionKey {
  /** Public id, `akid_…`, for `x-console-key`. */
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
}

/** A session as the console sees it. Times are milliseconds since the epoch. */
export interface SessionView {
  readonly id: string;
  readonly kind: 'workspace' | 'key' | 'operator';
  /** Name of the workspace, the key or the operator token. */
  readonly actor: string;
  readonly csrfToken: string;
  readonly createdAt: number;
  readonly idleExpiresAt: number;
  readonly expiresAt: number;
  /** Whether customers' content is shown: false for operators by default. */
  readonly seesContent: boolean;
  /** Scopes of the auth token. Null: all operations of the kind. */
  readonly scopes: readonly string[] | null;
  /** Null unless the session is an operator's. */
  readonly operatorScope: OperatorScope | null;
  /** Whether operations of API keys may be called. */
  readonly actsForKeys: boolean;
  /** The first 100 keys that the session may use, in order of creation. */
  readonly apiKeys: readonly SessionKey[];
  readonly temporalUiUrl: string | null;
  readonly version: string;
}

/** The settings that a session shows. */
export interface SessionSettings {
  readonly operatorSeesContent: boolean;
  readonly temporalUiUrl: string | undefined;
}

export async function sessionView(
  em: EntityManager,
  session: OpenSession,
  { operatorSeesContent, temporalUiUrl }: SessionSettings,
): Promise<SessionView> {
  const operator = operatorOf(session);
  return {
    id: session.id,
    kind: session.kind === 'apiKey' ? 'key' : session.kind,
    actor: operator?.name ?? session.workspace?.name ?? session.key?.name ?? '',
    csrfToken: csrfTokenOf(session.sessionId),
    createdAt: session.createdAt.getTime(),
    idleExpiresAt: idleExpiryOf(session),
    expiresAt: session.expiresAt.getTime(),
    seesContent: operator === undefined || operatorSeesContent,
    scopes: session.kind === 'apiKey' ? (session.key?.token.scopes ?? null) : null,
    operatorScope: operator?.scope ?? null,
    actsForKeys: operator?.actsForKeys ?? true,
    apiKeys: await keysOf(em, session),
    temporalUiUrl: temporalUiUrl ?? null,
    version: ownVersion,
  };
}

async function keysOf(em: EntityManager, session: OpenSession): Promise<readonly SessionKey[]> {
  const { kind, key, workspace } = session;
  if (kind === 'apiKey')
    return key === undefined ? [] : [{ id: key.tenant.keyId, name: key.name, enabled: true }];
  if (operatorOf(session)?.actsForKeys === false) return [];
  const keys = await listKeys(em, { after: undefined, limit: maxKeys, workspaceId: workspace?.workspaceId });
  return keys.map(({ keyId: id, name, disabledAt, workspaceDisabledAt }) => ({
    id,
    name,
    enabled: disabledAt === null && workspaceDisabledAt === null,
  }));
}
