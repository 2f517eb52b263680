import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { randomToken, sha256 } from '../../platform/encryption/tokens.ts';
import { permissionDenied } from '../errors.ts';
import { messages } from '../messages.ts';
import { tablesOf } from '../tables.ts';
import { ApiKey, type ApiKeyType } from './api-key.entity.ts';
import { addToken } from './auth-tokens.ts';
import { localPart } from './create-workspace.ts';
import { apiKeyContext } from './api-key-context.ts';

export interface NewApiKey {
  readonly ownerEmail: string;
  readonly type: ApiKeyType;
  readonly apiKeyName?: string | undefined;
  readonly createAuthToken: boolean;
  /** Normalized by `normalizeDomain`. */
  readonly allowedDomains: readonly string[];
}

/** The key in plain text; `id` is its surrogate key. */
export interface CreatedApiKey {
  readonly id: string;
  readonly apiKey: string;
  readonly authToken: string | undefined;
}

/**
 * `key_<cell>_<random>`: new keys name a cell, for deployments with several databases (docs/scaling.md). There is one
 * cell, 0, and no code reads it. Keys of 0.2.0 have none and stay valid.
 */
const newKeyPrefix = 'key_0';

export async function createApiKey(
  em: EntityManager,
  keyRing: KeyRing,
  workspaceId: string,
  request: NewApiKey,
): Promise<CreatedApiKey> {
  await checkWorkspace(em, workspaceId);
  const apiKey = randomToken(newKeyPrefix);
  const keyHash = sha256(apiKey);
  const created = em.create(ApiKey, {
    workspaceId,
    keyHash,
    keyEnc: keyRing.encrypt(apiKey, apiKeyContext(keyHash, workspaceId)),
    name: request.apiKeyName ?? defaultKeyName(request),
    type: request.type,
    ownerEmail: request.ownerEmail,
    allowedDomains: [...request.allowedDomains],
  });
  await em.flush();
  return {
    id: created.id,
    apiKey,
    authToken: request.createAuthToken ? addToken(em, keyRing, created.id) : undefined,
  };
}

/**
 * Throws if the workspace has been disabled since the call was authenticated. Its lock delays disabling until the commit.
 * Calls that create keys of a workspace wait for one another, so that they cannot delay disabling for longer.
 */
async function checkWorkspace(em: EntityManager, workspaceId: string): Promise<void> {
  const { disabled_at } = await tablesOf(em)
    .selectFrom('workspace')
    .select('disabled_at')
    .where('id', '=', workspaceId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  if (disabled_at !== null) throw permissionDenied(messages.workspaceDisabled);
}

/** The name of a key whose creator gave none. It contains the owner's. */
export function defaultKeyName({ ownerEmail, type }: Pick<NewApiKey, 'ownerEmail' | 'type'>): string {
  const owner = localPart(ownerEmail);
  return `${owner.charAt(0).toUpperCase()}${owner.slice(1)} ${type === 'production' ? '' : 'Test '}API Key`;
}
