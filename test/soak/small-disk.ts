import { mkdir, open, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../local/run-command.ts';

/** A file system of a fixed size, in memory. */
export interface SmallDisk {
  readonly folder: string;
  /** Occupies the free space. */
  readonly fill: () => Promise<void>;
  readonly free: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Mounts the disk at a new folder, which needs root. Returns a line with the reason when it could not. */
export async function mountSmallDisk(folder: string, megabytes: number): Promise<SmallDisk | string> {
  await mkdir(folder);
  const mounted = await runCommand('mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=${String(megabytes)}m,mode=755`,
    'tmpfs',
    folder,
  ]);
  if (!mounted.ok) return `small disk: not mounted: ${mounted.output.trim().split('\n')[0] ?? ''}`;
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

async function occupy(path: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    // The last piece fits exactly, so that not a page is left.
    for (let size = 16 * 1_048_576; size >= 4_096;) {
      try {
        const { bytesWritten } = await file.write(Buffer.alloc(size));
        if (bytesWritten < size) size /= 2;
      } catch {
        size /= 2;
      }
    }
  } finally {
    await file.close();
  }
}
