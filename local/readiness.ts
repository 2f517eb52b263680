import { isIPv6 } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { showingProgress, type Show } from './progress.ts';
import { messageOf, StartFailure } from './start-failure.ts';

const withinMs = 60_000;

/** The address at which this machine reaches what listens on `host`. */
export function localUrl(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`;
}

/** Returns once `GET /readyz` answers 200; throws a StartFailure with its last answer when that takes too long. */
export async function whenReady(
  baseUrl: string,
  signal: AbortSignal,
  show: Show = () => undefined,
): Promise<void> {
  const last = { reason: 'it did not answer' };
  await showingProgress(
    show,
    () => `waiting for the API: ${last.reason.slice(0, 200)}`,
    async () => await poll(baseUrl, signal, last),
  );
}

async function poll(baseUrl: string, signal: AbortSignal, last: { reason: string }): Promise<void> {
  const until = Date.now() + withinMs;
  while (Date.now() < until) {
    signal.throwIfAborted();
    try {
      const response = await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(3_000) });
      if (response.ok) return;
      last.reason = `${response.status} ${(await response.text()).slice(0, 1_000)}`;
    } catch (error) {
      last.reason = messageOf(error);
    }
    await pause(50);
  }
  throw new StartFailure(`The API did not get ready within ${withinMs / 1000} s: ${last.reason}.`);
}
