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

/** Waits until `GET /readyz` returns 200; after 60 s throws a StartFailure with the last response. */
export async function whenReady(
  baseUrl: string,
  signal: AbortSignal,
  show: Show = () => undefined,
): Promise<void> {
  const last = { reason: 'no response' };
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
  throw new StartFailure(`The API was not ready within ${withinMs / 1000} s: ${last.reason}.`);
}
