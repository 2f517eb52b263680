import { realpath, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** Free bytes that PostgreSQL and Temporal need. */
const requiredBytes = 64 * 1024 * 1024;

/**
 * A message when the disk of the data folder is nearly full, which servers report only in their own logs. As root,
 * PostgreSQL's folder is a link that may lead to another disk.
 */
export async function fullDiskHint(
  dataDirectory: string,
  minBytes = requiredBytes,
): Promise<string | undefined> {
  for (const part of ['.', 'postgres', 'temporal']) {
    const path = await realpath(join(dataDirectory, part)).catch(() => undefined);
    const space = path === undefined ? undefined : await statfs(path).catch(() => undefined);
    if (path !== undefined && space !== undefined && space.bavail * space.bsize < minBytes) {
      return `The disk that holds ${path} is full: free some space.`;
    }
  }
  return undefined;
}
