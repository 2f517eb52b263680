import { updateConfiguration } from '../domain/configuration/update-configuration.ts';
import { activityLogConfigurationKind } from '../domain/configuration/kinds/activity-log.ts';
import { notificationKind } from '../domain/configuration/kinds/notification.ts';
import { authenticateWorkspace } from '../domain/credentials/authenticate.ts';
import { ApiKey } from '../domain/workspaces/api-key.entity.ts';
import { createApiKey } from '../domain/workspaces/create-api-key.ts';
import { AuthToken } from '../domain/workspaces/auth-token.entity.ts';
import { addToken, readTokens } from '../domain/workspaces/auth-tokens.ts';
import { createWorkspace } from '../domain/workspaces/create-workspace.ts';
import { Workspace } from '../domain/workspaces/workspace.entity.ts';
import { inTransaction, type EntityManager } from '../platform/database/orm.ts';
import type { DemoCredentials } from '../local/local-secrets.ts';
import { KeyRing, type EncryptionKey } from '../platform/encryption/key-ring.ts';
import { sha256 } from '../platform/encryption/tokens.ts';
import { withDatabase } from './database.ts';

export interface DemoWorkspaceOptions {
  /** The database must be migrated. */
  readonly databaseUrl: string;
  readonly encryptionKeys: readonly EncryptionKey[];
  /** The credentials that an earlier start returned. */
  readonly previous: DemoCredentials | undefined;
}

const owner = 'demo@example.com';

/**
 * Returns `previous` with the current auth token of its key, and with another key if that one was deleted. Creates
 * another workspace only when the credentials of the workspace do not work: they are stored nowhere else in plain text.
 */
export async function ensureDemoWorkspace({
  databaseUrl,
  encryptionKeys,
  previous,
}: DemoWorkspaceOptions): Promise<DemoCredentials> {
  const keyRing = new KeyRing(encryptionKeys);
  return await withDatabase(databaseUrl, async (orm) =>
    inTransaction(orm, async (em) => {
      const workspace = previous && (await workspaceOf(em, previous));
      if (previous === undefined || workspace === undefined) return await makeDemoWorkspace(em, keyRing);
      const key = await em.findOne(ApiKey, {
        keyHash: sha256(previous.apiKey),
        workspaceId: workspace.id,
        deletedAt: null,
      });
      if (key !== null) return { ...previous, authToken: await currentToken(em, keyRing, key, previous) };
      // A disabled workspace refuses new keys.
      if (workspace.disabled !== null) return previous;
      return { ...previous, ...(await makeDemoKey(em, keyRing, workspace.id)) };
    }),
  );
}

const workspaceOf = async (em: EntityManager, { workspaceId, workspaceAuthToken }: DemoCredentials) =>
  authenticateWorkspace(em, { workspaceId, authToken: workspaceAuthToken });

/** The key's token without expiry. Decrypts nothing while it is `known`: the present encryption keys may be others. */
async function currentToken(
  em: EntityManager,
  keyRing: KeyRing,
  key: ApiKey,
  { apiKey, authToken: known }: DemoCredentials,
): Promise<string> {
  const current = await em.findOne(AuthToken, { apiKeyId: key.id, scopes: null, expiresAt: null });
  if (current?.tokenHash.equals(sha256(known)) === true) return known;
  const [found] = await readTokens(em, keyRing, key.workspaceId, apiKey);
  return found?.expiresAt === null ? found.token : addToken(em, keyRing, key.id);
}

async function makeDemoWorkspace(em: EntityManager, keyRing: KeyRing): Promise<DemoCredentials> {
  const made = createWorkspace(em, keyRing, { ownerEmail: owner, workspaceName: 'Demo' });
  await em.flush();
  const workspace = await em.findOneOrFail(Workspace, { publicId: made.id });
  const key = await makeDemoKey(em, keyRing, workspace.id);
  return { workspaceId: made.id, workspaceAuthToken: made.authToken, ...key };
}

async function makeDemoKey(
  em: EntityManager,
  keyRing: KeyRing,
  workspaceId: string,
): Promise<Pick<DemoCredentials, 'apiKey' | 'authToken'>> {
  const { id, apiKey, authToken } = await createApiKey(em, keyRing, workspaceId, {
    ownerEmail: owner,
    type: 'testing',
    apiKeyName: 'Demo API Key',
    createAuthToken: true,
    allowedDomains: [],
  });
  if (authToken === undefined) throw new Error('missing auth token of the new demo key');
  await updateConfiguration(em, keyRing, id, {
    kind: activityLogConfigurationKind,
    change: { isEnabled: true },
  });
  await updateConfiguration(em, keyRing, id, {
    kind: notificationKind,
    change: { useNotificationService: true },
  });
  return { apiKey, authToken };
}
