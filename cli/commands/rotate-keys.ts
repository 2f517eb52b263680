import { dayMs } from '../../platform/units.ts';
import { recordAuditEntries } from '../../domain/audit/record-entries.ts';
import { rotateSecrets } from '../../domain/secrets/rotate-secrets.ts';
import { readConfiguration } from '../../platform/config/read-configuration.ts';
import { exitCodes } from '../../platform/process/exit-codes.ts';
import { commandActor } from '../command-actor.ts';
import { withDatabase } from '../database.ts';
import type { Output } from '../output.ts';
import { databaseUrlOf, keyRingOf, type Surroundings } from '../settings.ts';

/** Re-encrypts every secret with the first key. When no secret is left, the other keys may be removed from STEWARD_ENCRYPTION_KEYS. */
export async function rotateKeys(surroundings: Surroundings): Promise<Output> {
  const keyRing = keyRingOf(surroundings);
  const { deletionJournal } = readConfiguration(surroundings.environment, 'cli');
  const keptDays = deletionJournal.retentionMs / dayMs;
  return await withDatabase(databaseUrlOf(surroundings), async (orm) => {
    const columns = await rotateSecrets(orm, keyRing);
    await recordAuditEntries(orm.em.fork(), keyRing, {
      actor: commandActor,
      action: 'encryption_key.rotate',
      outcome: 'succeeded',
      targets: [keyRing.currentKeyId],
    });
    const left = columns.reduce((sum, column) => sum + column.left, 0);
    const verdict =
      left === 0
        ? `Every secret is encrypted with ${keyRing.currentKeyId}.`
        : `${String(left)} secrets were written with another key meanwhile: restart every API and worker with ${keyRing.currentKeyId} as the first key, then rotate again.`;
    return {
      lines: [
        ...columns.map(
          ({ table, column, reencrypted }) => `${table}.${column}: ${String(reencrypted)} re-encrypted`,
        ),
        verdict,
        ...(deletionJournal.folder === undefined || keyRing.size === 1
          ? []
          : [`Keep the other keys for ${String(keptDays)} days: entries of the deletion journal need them.`]),
      ],
      json: { keyId: keyRing.currentKeyId, columns, left },
      exitCode: left === 0 ? exitCodes.done : exitCodes.failed,
    };
  });
}
