import { mkdtemp, open, rm, rmdir, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeRootsFolder, rootsFolder } from '../../local/postgres-binaries.ts';
import { runCommand } from '../../local/run-command.ts';

/** A file system of a fixed size, in memory. */
export interface SmallDisk {
  readonly folder: string;
  /** Occupies the free space. May be called again for space that was freed since. */
  readonly fill: () => Promise<void>;
  readonly free: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Mounts the disk at a new folder that every user can reach, which needs root. Returns a line with the reason when it
 * could not.
 */
export async function mountSmallDisk(megabytes: number): Promise<SmallDisk | string> {
  // The temporary folder may be closed to the user of PostgreSQL.
  if (process.getuid?.() !== 0) return 'small disk: not mounted, because that needs root.';
  await makeRootsFolder();
  const folder = await mkdtemp(join(rootsFolder, 'disk-'));
  const mounted = await runCommand('mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=${String(megabytes)}m,mode=755`,
    'tmpfs',
    folder,
  ]);
  if (!mounted.ok) {
    await rmdir(folder);
    return `small disk: not mounted: ${mounted.output.trim().split('\n')[0] ?? ''}`;
  }
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill: async () => await occupy(ballast),
    free: async () => await rm(ballast, { force: true }),
    async close() {
      const ended = await runCommand('umount', [folder]);
      if (!ended.ok) throw new Error(ended.output);
      await rmdir(folder);
    },
  };
}

/** Blocks that are written singly. */
const spareBlocks = 8_192;

async function occupy(path: string): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(path));
  const file = await open(path, 'a');
  try {
    // Most of it at once. All of it at once fails when another writer takes a page meanwhile.
    if (bavail > spareBlocks) await allocate(path, await file.stat(), (bavail - spareBlocks) * bsize);
    for (;;) await file.write(Buffer.alloc(bsize));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    await file.close();
  }
}

async function allocate(path: string, { size }: { readonly size: number }, bytes: number): Promise<void> {
  const allocated = await runCommand('fallocate', ['-o', String(size), '-l', String(bytes), path]);
  if (!allocated.ok) throw new Error(allocated.output);
}
