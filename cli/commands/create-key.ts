import { recordAuditEntries } from '../../domain/audit/record-entries.ts';
import { createApiKey } from '../../domain/workspaces/create-api-key.ts';
import { keyIdOf } from '../../domain/workspaces/key-ids.ts';
import { Workspace } from '../../domain/workspaces/workspace.entity.ts';
import { inTransaction } from '../../platform/database/orm.ts';
import { commandActor } from '../command-actor.ts';
import { withDatabase } from '../database.ts';
import { keyType, emailAddress, shortName } from '../options.ts';
import { members, type Output } from '../output.ts';
import { databaseUrlOf, keyRingOf, type Surroundings } from '../settings.ts';

interface Options {
  readonly workspace: string;
  readonly ownerEmail: string;
  readonly type: string;
  readonly name?: string;
}

export async function createKey(surroundings: Surroundings, options: Options): Promise<Output> {
  const request = {
    ownerEmail: emailAddress('--owner-email', options.ownerEmail),
    type: keyType('--type', options.type),
    apiKeyName: shortName('--name', options.name),
    createAuthToken: true,
    allowedDomains: [],
  };
  const keyRing = keyRingOf(surroundings);
  return await withDatabase(databaseUrlOf(surroundings), async (orm) => {
    const made = await inTransaction(orm, async (em) => {
      const workspace = await em.findOne(Workspace, { publicId: options.workspace });
      if (workspace === null)
        throw new Error('No workspace has that id. List the ids: npm run cli -- workspaces list');
      const created = await createApiKey(em, keyRing, workspace.id, request);
      await em.flush();
      const keyId = keyIdOf(created.apiKey);
      await recordAuditEntries(em, keyRing, {
        actor: commandActor,
        action: 'key.create',
        outcome: 'succeeded',
        targets: [keyId],
        keyId,
        values: { before: null, after: { ...request, apiKeyName: request.apiKeyName ?? null } },
      });
      return created;
    });
    return members({ apiKey: made.apiKey, authToken: made.authToken ?? '' });
  });
}
