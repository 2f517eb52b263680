import { isIPv6 } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { showingProgress, type Show } from './progress.ts';
import { messageOf, StartFailure } from './start-failure.ts';

const withinMs = 60_000;

/** The URL of a local server that listens on `host`. */
export function localUrl(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`;
}

/** How the start waits for the API. */
export interface Waiting {
  readonly show?: Show;
  /** Called once, when only a command can make the API ready: the deletion journal and the database differ. */
  readonly whenJournalDiffers?: () => Promise<void>;
}

/**
 * Waits until `GET /readyz` returns 200; after 60 s throws a StartFailure with the last response. With
 * `whenJournalDiffers`, waits without limit while the deletion journal is the only reason.
 */
export async function whenReady(
  baseUrl: string,
  signal: AbortSignal,
  { show = () => undefined, whenJournalDiffers }: Waiting = {},
): Promise<void> {
  const last = { reason: 'no response' };
  await showingProgress(
    show,
    () => `waiting for the API: ${last.reason.slice(0, 200)}`,
    async () => await poll(baseUrl, signal, last, whenJournalDiffers),
  );
}

async function poll(
  baseUrl: string,
  signal: AbortSignal,
  last: { reason: string },
  whenJournalDiffers: Waiting['whenJournalDiffers'],
): Promise<void> {
  let until = Date.now() + withinMs;
  let told = false;
  while (Date.now() < until) {
    signal.throwIfAborted();
    try {
      const response = await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(3_000) });
      if (response.ok) return;
      const text = await response.text();
      last.reason = `${response.status} ${text.slice(0, 1_000)}`;
      const state = whenJournalDiffers && journalStateOf(text);
      if (state !== undefined) until = Date.now() + withinMs;
      if (state !== undefined && needsCommand.has(state) && !told) {
        told = true;
        await whenJournalDiffers?.();
      }
    } catch (error) {
      last.reason = messageOf(error);
    }
    await pause(50);
  }
  throw new StartFailure(`The API was not ready within ${withinMs / 1000} s: ${last.reason}.`);
}

const needsCommand: ReadonlySet<string> = new Set(['unavailable', 'outdated', 'lossy']);

/** The state of the deletion journal when nothing else keeps the API from being ready. */
function journalStateOf(text: string): string | undefined {
  const { reasons, deletionJournal } = JSON.parse(text) as {
    readonly reasons?: readonly string[];
    readonly deletionJournal?: string;
  };
  return reasons?.length === 1 ? deletionJournal : undefined;
}
