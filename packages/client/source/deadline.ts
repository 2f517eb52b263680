/** The end of a call: its time limit, or one of the caller's signals. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** True when the time limit ended the call. */
  readonly timedOut: () => boolean;
  /** On the clock of `performance.now`. */
  readonly endAt: number;
  /** Ends the time limit. The caller's signals still end what the call has returned. */
  readonly endLimit: () => void;
  /** Ends the time limit, and leaves the caller's signals. */
  readonly end: () => void;
}

/** The max delay of `setTimeout`, which fires at once for a longer one. */
const maxTimerMs = 2_147_483_647;

/** Begins a time limit that the signals of a caller can shorten. */
export function beginDeadline(timeoutMs: number, signals: readonly (AbortSignal | undefined)[]): Deadline {
  const { controller, leave } = joined(signals);
  let timedOut = false;
  const timer = setTimeout(
    () => {
      timedOut = true;
      controller.abort();
    },
    Math.min(timeoutMs, maxTimerMs),
  );
  const endLimit = (): void => clearTimeout(timer);
  return {
    signal: controller.signal,
    timedOut: () => timedOut,
    endAt: performance.now() + timeoutMs,
    endLimit,
    end: () => {
      endLimit();
      leave();
    },
  };
}

/** A controller that aborts with the first of the signals, until `leave`. `AbortSignal.any` is missing in Safari 17.3. */
export function joined(signals: readonly (AbortSignal | undefined)[]): {
  readonly controller: AbortController;
  readonly leave: () => void;
} {
  const controller = new AbortController();
  const ends = signals.map((signal) => follow(signal, controller));
  const leave = (): void => {
    for (const end of ends) end?.();
  };
  controller.signal.addEventListener('abort', leave, { once: true });
  return { controller, leave };
}

function follow(signal: AbortSignal | undefined, controller: AbortController): (() => void) | undefined {
  if (signal === undefined) return undefined;
  const abort = (): void => controller.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}
