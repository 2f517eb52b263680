import { chmod, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Release } from './temporal-releases.ts';

/** One try to get a program. */
export interface Attempt {
  readonly release: Release;
  /** Where programs are kept from start to start; the first one is written to. */
  readonly caches: readonly [string, ...string[]];
  readonly environment: NodeJS.ProcessEnv;
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal | undefined;
}

/** Where a cache may have the program, from whichever source. */
export function cachePaths(cache: string, { program, wheel, goModule }: Release): string[] {
  const versions = [wheel.version, ...(goModule ? [goModule.version.slice(1)] : []), 'sdk'];
  return versions.map((version) => join(cache, `${program}-${version}`));
}

/** Has a program fetched into a folder of its own, and moves it into the cache in one step. */
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

const prefix = '.getting-';
const abandonedAfterMs = 3_600_000;

/** What a fetch that was killed left; a younger one may still be at work. */
async function removeAbandoned(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const folder = join(cache, name);
    if (!name.startsWith(prefix)) continue;
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Infinity }));
    if (mtimeMs < Date.now() - abandonedAfterMs) await rm(folder, { recursive: true, force: true });
  }
}
