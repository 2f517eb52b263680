import { setTimeout as pause } from 'node:timers/promises';

const betweenPolls = 20;
/** A machine that is ten times slower than usual still sees what it waits for. */
const defaultMs = 300_000;

/**
 * Calls `check` until it neither throws nor answers false, and answers what it answered; bounded by `within`
 * milliseconds. The failure says what was seen last.
 */
export async function eventually<Seen>(
  check: () => Promise<Seen> | Seen,
  { within = defaultMs }: { readonly within?: number } = {},
): Promise<Exclude<Seen, false>> {
  const until = Date.now() + within;
  for (;;) {
    let last: unknown = 'false';
    try {
      const seen = await check();
      if (seen !== false) return seen as Exclude<Seen, false>;
    } catch (error) {
      last = error;
    }
    if (Date.now() >= until) {
      const said = textOf(last);
      throw new Error(`Not within ${String(within)} ms. Seen last: ${said}`, { cause: last });
    }
    await pause(betweenPolls);
  }
}

/** Not by `instanceof`: what Node itself throws is of another realm than Jest's. */
function textOf(thrown: unknown): string {
  const message = typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, 'message') : undefined;
  return typeof message === 'string' ? message : String(thrown);
}
