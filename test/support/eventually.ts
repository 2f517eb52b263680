import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds between two checks: a twentieth of the wait so far, because frequent checks take CPU time from the awaited work. */
const betweenChecks = (waitedMs: number): number => Math.min(200, Math.max(20, waitedMs / 20));

/** Default limit in milliseconds: enough for a machine that is overloaded tenfold. */
const defaultMs = 600_000;

/**
 * Calls `check` until it neither throws nor returns false, and returns its result; bounded by `within` milliseconds. The
 * error's message contains the last error of `check`.
 */
export async function eventually<Seen>(
  check: () => Promise<Seen> | Seen,
  { within = defaultMs }: { readonly within?: number } = {},
): Promise<Exclude<Seen, false>> {
  const from = Date.now();
  for (;;) {
    let last: unknown = 'false';
    try {
      const seen = await check();
      if (seen !== false) return seen as Exclude<Seen, false>;
    } catch (error) {
      last = error;
    }
    const waitedMs = Date.now() - from;
    if (waitedMs >= within) {
      const text = textOf(last);
      throw new Error(`The check failed for ${String(within)} ms, at last with: ${text}`, { cause: last });
    }
    await pause(betweenChecks(waitedMs));
  }
}

/** Not `instanceof`: Node's own errors are of another realm than Jest's. */
function textOf(thrown: unknown): string {
  const message = typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, 'message') : undefined;
  return typeof message === 'string' ? message : String(thrown);
}
