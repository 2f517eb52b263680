import { randomBytes } from 'node:crypto';
import { access, chmod, constants, link, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder, readIfThere } from './files.ts';
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

async function takeLock(lock: string, root: string): Promise<void> {
  const draft = `${lock}.${randomBytes(6).toString('hex')}`;
  const self = await identify(process.pid);
  await writeFile(draft, `${process.pid}\n${self?.startedAt ?? ''}\n`, { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < 10; attempt += 1) {
      if (await linked(draft, lock)) return;
      const content = await readIfThere(lock);
      const holder = await keptProcess(lock, 'start.ts');
      if (holder) {
        throw new StartFailure(
          `Steward already runs on the data folder ${root} (process ${holder.pid}): ` +
            'stop it, or choose another folder with STEWARD_DATA_DIR.',
        );
      }
      if (content !== undefined) await removeStale(lock, content);
    }
    throw new StartFailure(`${lock} changes all the time: is another start at work? Try again.`);
  } finally {
    await rm(draft, { force: true });
  }
}

async function linked(draft: string, lock: string): Promise<boolean> {
  try {
    // Unlike a rename, a link fails where the name is taken, and it appears with its content.
    await link(draft, lock);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Between our look and the removal another start may have taken the lock: then it gets it back. */
async function removeStale(lock: string, content: string): Promise<void> {
  const aside = `${lock}.${randomBytes(6).toString('hex')}`;
  await rename(lock, aside).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
  });
  const taken = await readIfThere(aside);
  if (taken !== undefined && taken !== content) await linked(aside, lock);
  await rm(aside, { force: true });
}
