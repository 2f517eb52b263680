import { chmod, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Release } from './temporal-releases.ts';

/** One attempt to obtain a program. */
export interface Attempt {
  readonly release: Release;
  /** Folders that keep programs across starts; only the first one is written. */
  readonly caches: readonly [string, ...string[]];
  readonly environment: NodeJS.ProcessEnv;
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal | undefined;
}

/** The program's possible paths in a cache, for all sources. */
export function cachePaths(cache: string, { program, wheel, goModule }: Release): string[] {
  const versions = [wheel.version, ...(goModule ? [goModule.version.slice(1)] : []), 'sdk'];
  return versions.map((version) => join(cache, `${program}-${version}`));
}

/** Fetches a program into a temporary folder and moves it into the cache atomically. */
export async function intoCache(
  { caches: [cache], release }: Attempt,
  version: string,
  fetch: (folder: string) => Promise<string>,
): Promise<string> {
  await removeAbandoned(cache);
  const folder = await mkdtemp(join(cache, prefix));
  try {
    const fetched = await fetch(folder);
    await chmod(fetched, 0o755);
    const kept = join(cache, `${release.program}-${version}`);
    await rename(fetched, kept);
    return kept;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const prefix = '.download-';
const abandonedAfterMs = 3_600_000;

/** Removes the folders of killed downloads; a younger folder may still be in use. */
async function removeAbandoned(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const folder = join(cache, name);
    if (!name.startsWith(prefix)) continue;
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Infinity }));
    if (mtimeMs < Date.now() - abandonedAfterMs) await rm(folder, { recursive: true, force: true });
  }
}
