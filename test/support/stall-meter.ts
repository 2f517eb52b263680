/** A time in which this process did not run, by `performance.now()`. */
export interface Stall {
  readonly from: number;
  readonly to: number;
}

export interface StallMeter {
  readonly stalls: readonly Stall[];
  readonly stop: () => void;
}

const everyMs = 100;
const longerThanMs = 1_000;

/**
 * Records each time of more than a second in which this process did not run, because its machine paused or was too busy.
 * Other processes of the machine then miss limits that they otherwise keep.
 */
export function startStallMeter(): StallMeter {
  const stalls: Stall[] = [];
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    if (now - last > longerThanMs) stalls.push({ from: last, to: now });
    last = now;
  }, everyMs).unref();
  return { stalls, stop: () => clearInterval(timer) };
}
