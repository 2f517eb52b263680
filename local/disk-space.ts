import { realpath, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes without which neither server works. */
const needed = 64 * 1024 * 1024;

/**
 * A sentence on the disk of the data folder when it is, or is nearly, full. A server that found no space says so in its
 * own log only, in its own words. As root, PostgreSQL's part of the folder is a link to another place.
 */
export async function fullDiskHint(dataDirectory: string, least = needed): Promise<string | undefined> {
  for (const part of ['.', 'postgres', 'temporal']) {
    const path = await realpath(join(dataDirectory, part)).catch(() => undefined);
    const space = path === undefined ? undefined : await statfs(path).catch(() => undefined);
    if (path !== undefined && space !== undefined && space.bavail * space.bsize < least) {
      return `The disk that holds ${path} is full: free some space.`;
    }
  }
  return undefined;
}
