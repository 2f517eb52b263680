import { access, chmod, constants, mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makePrivateFolder, writeWhole } from './files.ts';
import { keptProcess } from './pid-file.ts';
import { identify } from './processes.ts';
import { codeOf, StartFailure, touching } from './start-failure.ts';

/** Where `npm start` keeps what it keeps. */
export interface DataFolder {
  readonly root: string;
  readonly postgres: string;
  readonly temporal: string;
  readonly temporalDatabase: string;
  /** Process ids of the API and the worker. */
  readonly processes: string;
  readonly compileCache: string;
  readonly programs: string;
  readonly secrets: string;
  readonly demo: string;
  /** Lets the next start have the folder. */
  release(): Promise<void>;
}

/**
 * Makes the folder, private, and takes it for this process alone; a holder that was killed is no obstacle.
 * Throws a StartFailure where another start has it or it cannot be written to.
 */
export async function takeDataFolder(root: string): Promise<DataFolder> {
  return await touching(root, async () => {
    // The account that PostgreSQL runs as under root may have to pass through the parents.
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
      secrets: join(root, 'secrets.json'),
      demo: join(root, 'demo.json'),
    };
    const lock = join(root, 'supervisor.pid');
    await takeLock(lock, root);
    // Not before: the PostgreSQL of a start that has the folder may be allowed to pass through it.
    await chmod(root, 0o700);
    await makePrivateFolder(folder.processes);
    return { ...folder, release: async () => await rm(lock, { force: true }) };
  });
}

/** Milliseconds. Looking at a lock and taking it takes a few; who was killed in between is no obstacle for longer. */
const taking = { longest: 10_000, giveUp: 30_000, again: 20 } as const;

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

/** One start at a time looks at the lock: two that find the same dead holder must not both take its place. */
async function takeMutex(mutex: string, root: string): Promise<void> {
  const until = Date.now() + taking.giveUp;
  for (;;) {
    try {
      await mkdir(mutex);
      return;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    const since = await stat(mutex).catch(() => undefined);
    if (since !== undefined && Date.now() - since.mtimeMs > taking.longest)
      await rm(mutex, { recursive: true, force: true });
    if (Date.now() > until) throw new StartFailure(`Another start is at work on ${root}: try again.`);
    await pause(taking.again);
  }
}
