import { recordAuditEntries } from '../../domain/audit/record-entries.ts';
import { createWorkspace as create } from '../../domain/workspaces/create-workspace.ts';
import { inTransaction } from '../../platform/database/orm.ts';
import { commandActor } from '../command-actor.ts';
import { withDatabase } from '../database.ts';
import { members, type Output } from '../output.ts';
import { emailAddress, shortName } from '../options.ts';
import { databaseUrlOf, keyRingOf, type Surroundings } from '../settings.ts';

interface Options {
  readonly ownerEmail: string;
  readonly name?: string;
}

export async function createWorkspace(surroundings: Surroundings, options: Options): Promise<Output> {
  const ownerEmail = emailAddress('--owner-email', options.ownerEmail);
  const workspaceName = shortName('--name', options.name);
  const keyRing = keyRingOf(surroundings);
  return await withDatabase(databaseUrlOf(surroundings), async (orm) => {
    const { id, name, authToken } = await inTransaction(orm, async (em) => {
      const made = create(em, keyRing, { ownerEmail, workspaceName });
      await em.flush();
      await recordAuditEntries(em, keyRing, {
        actor: commandActor,
        action: 'workspace.create',
        outcome: 'succeeded',
        targets: [made.id],
        workspaceId: made.id,
        values: { before: null, after: { workspaceName: workspaceName ?? null, ownerEmail } },
      });
      return made;
    });
    return members({ workspaceId: id, name, workspaceAuthToken: authToken });
  });
}
