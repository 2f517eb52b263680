import { updateConfiguration } from '../domain/configuration/update-configuration.ts';
import { activityLogConfigurationKind } from '../domain/configuration/kinds/activity-log.ts';
import { notificationKind } from '../domain/configuration/kinds/notification.ts';
import { authenticateKey, authenticateWorkspace } from '../domain/credentials/authenticate.ts';
import { createApiKey } from '../domain/workspaces/api-keys.ts';
import { createWorkspace } from '../domain/workspaces/create-workspace.ts';
import { Workspace } from '../domain/workspaces/workspace.entity.ts';
import { inTransaction, type Orm } from '../platform/database/orm.ts';
import type { DemoCredentials } from '../local/local-secrets.ts';
import { KeyRing, type EncryptionKey } from '../platform/encryption/key-ring.ts';
import { withDatabase } from './database.ts';

export interface DemoWorkspaceOptions {
  /** The database must be migrated. */
  readonly databaseUrl: string;
  readonly encryptionKeys: readonly EncryptionKey[];
  /** The credentials that an earlier start returned. */
  readonly previous: DemoCredentials | undefined;
}

const owner = 'demo@example.com';

/** Returns `previous` if its credentials work; otherwise a new workspace with a key and both services enabled. */
export async function ensureDemoWorkspace({
  databaseUrl,
  encryptionKeys,
  previous,
}: DemoWorkspaceOptions): Promise<DemoCredentials> {
  return await withDatabase(databaseUrl, async (orm) => {
    if (previous !== undefined && (await works(orm, previous))) return previous;
    return await makeDemoWorkspace(orm, new KeyRing(encryptionKeys));
  });
}

async function works(
  orm: Orm,
  { workspaceId, workspaceAuthToken, ...key }: DemoCredentials,
): Promise<boolean> {
  const em = orm.em.fork();
  const workspace = await authenticateWorkspace(em, { workspaceId, authToken: workspaceAuthToken });
  return workspace !== undefined && (await authenticateKey(em, key)) !== undefined;
}

async function makeDemoWorkspace(orm: Orm, keyRing: KeyRing): Promise<DemoCredentials> {
  return await inTransaction(orm, async (em) => {
    const made = createWorkspace(em, keyRing, { ownerEmail: owner, workspaceName: 'Demo' });
    await em.flush();
    const workspace = await em.findOneOrFail(Workspace, { publicId: made.id });
    const { id, apiKey, authToken } = await createApiKey(em, keyRing, workspace.id, {
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
    return { workspaceId: made.id, workspaceAuthToken: made.authToken, apiKey, authToken };
  });
}
