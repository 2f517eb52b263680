import { recordAuditEntries } from '../../domain/audit/record-entries.ts';
import { beginEpoch } from '../../domain/restores/epochs.ts';
import { inTransaction } from '../../platform/database/orm.ts';
import { commandActor } from '../command-actor.ts';
import { withDatabase } from '../database.ts';
import type { Output } from '../output.ts';
import { databaseUrlOf, keyRingOf, type Surroundings } from '../settings.ts';

/** Begins a new epoch of webhook sequences, for a database restored from the files of a stopped server. */
export async function beginRestore(surroundings: Surroundings): Promise<Output> {
  const keyRing = keyRingOf(surroundings);
  return await withDatabase(databaseUrlOf(surroundings), async (orm) => {
    const epoch = await inTransaction(orm, async (em) => {
      const begun = await beginEpoch(em);
      await recordAuditEntries(em, keyRing, {
        actor: commandActor,
        action: 'restore.begin',
        outcome: 'succeeded',
        targets: [begun],
      });
      return begun;
    });
    return { lines: [`Webhooks carry the epoch ${epoch} from now on.`], json: { epoch: Number(epoch) } };
  });
}
