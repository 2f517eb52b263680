import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

const everyMs = 3_000;

export type Show = (line: string) => void;

/**
 * Shows the progress of a step every 3 s with the elapsed seconds: `… initdb: syncing data to disk (6 s)`. A step that
 * ends sooner shows nothing.
 */
export async function showingProgress<Result>(
  show: Show,
  describe: () => string | Promise<string>,
  step: () => Promise<Result>,
): Promise<Result> {
  const began = Date.now();
  const report = async (): Promise<void> => {
    const text = await describe();
    show(`… ${text} (${Math.round((Date.now() - began) / 1000)} s)`);
  };
  // A failed report is retried after 3 s.
  const timer = setInterval(() => void report().catch(() => undefined), everyMs);
  try {
    return await step();
  } finally {
    clearInterval(timer);
  }
}

/** Megabytes (10^6 bytes) of the files in a folder, at any depth; 0 where it cannot be read. */
export async function megabytesIn(folder: string): Promise<number> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    const sizes = await Promise.all(
      files.map(async (file) => (await stat(join(file.parentPath, file.name))).size),
    );
    return Math.round(sizes.reduce((sum, size) => sum + size, 0) / 1_000_000);
  } catch {
    // A file was deleted meanwhile.
    return 0;
  }
}
