import { access, chmod, constants, mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from '../platform/process/error-code.ts';
import { makePrivateFolder, writeWhole } from './files.ts';
import { keptProcess } from './pid-file.ts';
import { identify } from './processes.ts';
import { StartFailure, touching } from './start-failure.ts';

/** The data folder of `npm start`. */
export interface DataFolder {
  readonly root: string;
  readonly postgres: string;
  readonly temporal: string;
  readonly temporalDatabase: string;
  /** Process ids of the API and the worker. */
  readonly processes: string;
  readonly compileCache: string;
  readonly programs: string;
  readonly deletionJournal: string;
  /** E-mails as files. */
  readonly mails: string;
  readonly secrets: string;
  readonly demo: string;
  /** Unlocks the folder for the next start. */
  release(): Promise<void>;
}

/**
 * Creates the private folder and locks it for this process; replaces the lock of a killed process. Throws a StartFailure
 * when another start holds the lock or the folder is not writable.
 */
export async function takeDataFolder(root: string): Promise<DataFolder> {
  return await touching(root, async () => {
    // As root, PostgreSQL's account may have to pass through the parents.
    await makePrivateFolder(root, process.getuid?.() === 0 ? 0o711 : 0o700);
    await access(root, constants.R_OK | constants.W_OK | constants.X_OK);
    const folder = {
      root,
      postgres: join(root, 'postgres'),
      temporal: join(root, 'temporal'),
      temporalDatabase: join(root, 'temporal', 'temporal.db'),
      processes: join(root, 'processes'),
      compileCache: join(root, 'compile-cache'),
      programs: join(root, 'programs'),
      deletionJournal: join(root, 'deletion-journal'),
      mails: join(root, 'mails'),
      secrets: join(root, 'secrets.json'),
      demo: join(root, 'demo.json'),
    };
    const lock = join(root, 'supervisor.pid');
    await takeLock(lock, root);
    // Only after the lock is taken: PostgreSQL of another running start may need to pass through the folder.
    await chmod(root, 0o700);
    await makePrivateFolder(folder.processes);
    await makePrivateFolder(folder.deletionJournal);
    return { ...folder, release: async () => await rm(lock, { force: true }) };
  });
}

/** A mutex older than `staleMs` belongs to a killed process: holders need a few milliseconds. */
const mutexTimes = { staleMs: 10_000, timeoutMs: 30_000, retryMs: 20 } as const;

async function takeLock(lock: string, root: string): Promise<void> {
  const mutex = `${lock}.taking`;
  await takeMutex(mutex, root);
  try {
    const holder = await keptProcess(lock, 'start.ts');
    if (holder) {
      throw new StartFailure(
        `Steward already runs on the data folder ${root} (process ${holder.pid}): ` +
          'stop it, or choose another folder with STEWARD_DATA_DIR.',
      );
    }
    const self = await identify(process.pid);
    await writeWhole(lock, `${process.pid}\n${self?.startedAt ?? ''}\n`);
  } finally {
    await rm(mutex, { recursive: true, force: true });
  }
}

/** Serializes the lock check: two starts must not both replace the lock of the same dead process. */
async function takeMutex(mutex: string, root: string): Promise<void> {
  const until = Date.now() + mutexTimes.timeoutMs;
  for (;;) {
    try {
      await mkdir(mutex);
      return;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    const since = await stat(mutex).catch(() => undefined);
    if (since !== undefined && Date.now() - since.mtimeMs > mutexTimes.staleMs)
      await rm(mutex, { recursive: true, force: true });
    if (Date.now() > until) throw new StartFailure(`Another start is locking ${root}: try again.`);
    await pause(mutexTimes.retryMs);
  }
}
