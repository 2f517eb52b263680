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

/**
 * Repeats `act` until it returns true; bounded like `eventually`. For a scenario whose responses must be right each time,
 * but which a slow machine may run without the concurrency under test. So no error is retried, except the 503 of a
 * client's `ok`: after a pause of seconds, calls have waited too long for a connection to the database.
 */
export async function repeatUntil(act: () => Promise<boolean>): Promise<void> {
  const from = Date.now();
  while (!(await act().catch(falseWhenUnavailable))) {
    const waitedMs = Date.now() - from;
    if (waitedMs >= defaultMs) throw new Error(`The scenario returned false for ${String(defaultMs)} ms.`);
    await pause(betweenChecks(waitedMs));
  }
}

/** Returns false for a 503, and throws other errors. */
function falseWhenUnavailable(error: unknown): false {
  if (textOf(error).includes(' returned 503: ')) return false;
  throw error;
}

/** Not `instanceof`: Node's own errors are of another realm than Jest's. */
function textOf(thrown: unknown): string {
  const message = typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, 'message') : undefined;
  return typeof message === 'string' ? message : String(thrown);
}
