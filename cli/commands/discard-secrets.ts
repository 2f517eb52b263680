import { recordAuditEntries } from '../../domain/audit/record-entries.ts';
import { discardSecrets as discard } from '../../domain/signing/discard-secrets.ts';
import { inTransaction } from '../../platform/database/orm.ts';
import { commandActor } from '../command-actor.ts';
import { withDatabase } from '../database.ts';
import type { Output } from '../output.ts';
import { databaseUrlOf, keyRingOf, type Surroundings } from '../settings.ts';

/** Discards secrets of the deployment that a process with wrong encryption keys has stored. */
export async function discardSecrets(surroundings: Surroundings): Promise<Output> {
  const keyRing = keyRingOf(surroundings);
  return await withDatabase(databaseUrlOf(surroundings), async (orm) => {
    const discarded = await inTransaction(orm, async (em) => {
      const targets = await discard(em, keyRing);
      if (targets.length > 0)
        await recordAuditEntries(em, keyRing, {
          actor: commandActor,
          action: 'signing_key.discard',
          outcome: 'succeeded',
          targets,
        });
      return targets;
    });
    return {
      lines:
        discarded.length === 0
          ? ['STEWARD_ENCRYPTION_KEYS decrypts every secret of the deployment.']
          : discarded.map((kid) => `${kid}: discarded`),
      json: { discarded },
    };
  });
}
