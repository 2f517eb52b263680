import { recordAuditEntries } from '../../domain/audit/record-entries.ts';
import { replayDeletions as replay, type Replay } from '../../domain/deletion-replay/replay-deletions.ts';
import { readConfiguration } from '../../platform/config/read-configuration.ts';
import { exitCodes } from '../../platform/process/exit-codes.ts';
import { commandActor } from '../command-actor.ts';
import { withDatabase } from '../database.ts';
import type { Output } from '../output.ts';
import { databaseUrlOf, journalOf, keyRingOf, type Surroundings } from '../settings.ts';

interface Options {
  readonly acceptLoss?: boolean;
}

/** Milliseconds between two lines of progress. */
const progressDelayMs = 2_000;

/** Repeats the deletions of the journal that the database lacks. Exit code 1 while records or files of the journal are missing. */
export async function replayDeletions(
  surroundings: Surroundings,
  { acceptLoss = false }: Options,
): Promise<Output> {
  const { deletionJournal } = readConfiguration(surroundings.environment, 'cli');
  const [keyRing, journal] = [keyRingOf(surroundings), journalOf(surroundings)];
  return await withDatabase(databaseUrlOf(surroundings), async (orm) => {
    let shownAt = Date.now();
    const replayed = await replay(orm, keyRing, journal, {
      acceptLoss,
      retentionMs: deletionJournal.retentionMs,
      onProgress: ({ read, users, keys }) => {
        if (Date.now() - shownAt < progressDelayMs) return;
        shownAt = Date.now();
        process.stderr.write(`${String(read)} entries read, ${String(users + keys)} deletions started.\n`);
      },
    });
    await recordAuditEntries(orm.em.fork(), keyRing, {
      actor: commandActor,
      action: 'user_data.replay',
      outcome: 'succeeded',
      targets: null,
      values: { before: null, after: { ...replayed, acceptLoss } },
    });
    return outputOf(replayed, acceptLoss);
  });
}

function outputOf(replay: Replay, acceptLoss: boolean): Output {
  const { read, users, keys, running, unreadable, torn, lacking } = replay;
  const lost = !acceptLoss && unreadable + lacking > 0;
  const open = users + running;
  return {
    lines: [
      `${String(read)} entries read: ${String(users)} deletions of user data and ${String(keys)} of API keys started again.`,
      ...(torn > 0
        ? [`${String(torn)} files end with an incomplete entry; its deletion had not completed.`]
        : []),
      ...(lost
        ? [
            `${String(unreadable)} entries are unreadable and ${String(lacking)} files are missing: mount the journal's volume ` +
              'and set every encryption key, or skip them with --accept-loss.',
          ]
        : []),
      open > 0
        ? `${String(open)} deletions run. The API serves customers once they have ended; a worker must run.`
        : 'No deletion is open.',
    ],
    json: { ...replay, acceptLoss },
    exitCode: lost ? exitCodes.failed : exitCodes.done,
  };
}
