import { isIPv6 } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { errorMessage } from '../platform/process/error-message.ts';
import { showingProgress, type Show } from './progress.ts';
import { StartFailure } from './start-failure.ts';

const withinMs = 60_000;

/** The URL of a local server that listens on `host`. */
export function localUrl(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`;
}

/** How the start waits for the API. */
export interface Waiting {
  readonly show?: Show;
  /** Called once with the reason, when only a command can make the API ready: deletion journal and database differ. */
  readonly whenJournalDiffers?: (reason: string) => Promise<void>;
}

/**
 * Waits until `GET /readyz` returns 200; after 60 s throws a StartFailure with the last response. With
 * `whenJournalDiffers`, waits without limit while that difference, or the deletions that end it, are the only reason.
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
  let reported = false;
  while (Date.now() < until) {
    signal.throwIfAborted();
    try {
      const response = await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(3_000) });
      if (response.ok) return;
      const text = await response.text();
      last.reason = `${response.status} ${text.slice(0, 1_000)}`;
      const difference = whenJournalDiffers && differenceIn(text);
      if (difference !== undefined) {
        until = Date.now() + withinMs;
        if (!reported && difference.needsCommand) await whenJournalDiffers?.(difference.reason);
        reported ||= difference.needsCommand;
      }
    } catch (error) {
      last.reason = errorMessage(error);
    }
    await pause(50);
  }
  throw new StartFailure(
    `The API was not ready within ${withinMs / 1000} s: ${last.reason}. Remove that cause and start again.`,
  );
}

const needsCommand: ReadonlySet<unknown> = new Set(['outdated', 'lossy']);

/** How journal and database differ, if that is the only reason why the API is not ready. */
function differenceIn(text: string): { readonly reason: string; readonly needsCommand: boolean } | undefined {
  let body: { readonly reasons?: readonly string[]; readonly deletionJournal?: string };
  try {
    body = JSON.parse(text) as typeof body;
  } catch {
    return undefined;
  }
  const { reasons: [reason, ...others] = [], deletionJournal: state } = body;
  if (reason === undefined || others.length > 0) return undefined;
  return state === 'replaying' || needsCommand.has(state)
    ? { reason, needsCommand: needsCommand.has(state) }
    : undefined;
}
