import { setTimeout as pause } from 'node:timers/promises';

/**
 * Acts until `signal` aborts. Each act returns the milliseconds until the next one. A failure ends the loop, so an act that
 * must go on handles its own.
 */
export async function repeat(signal: AbortSignal, act: () => Promise<number>): Promise<void> {
  while (!signal.aborted) {
    const delayMs = await act();
    await pause(delayMs, undefined, { signal }).catch(() => undefined);
  }
}
