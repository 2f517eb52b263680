/** The end of a call: its time limit, or one of the caller's signals. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** True when the time limit ended the call. */
  readonly timedOut: () => boolean;
  /** On the clock of `performance.now`. */
  readonly endAt: number;
  /** Stops the timer, and leaves the caller's signals unless they still end a stream. */
  readonly end: (streams?: boolean) => void;
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
  return {
    signal: controller.signal,
    timedOut: () => timedOut,
    endAt: performance.now() + timeoutMs,
    end: (streams = false) => {
      clearTimeout(timer);
      if (!streams) leave();
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
  return {
    controller,
    leave: () => {
      for (const end of ends) end?.();
    },
  };
}

function follow(signal: AbortSignal | undefined, controller: AbortController): (() => void) | undefined {
  if (signal === undefined) return undefined;
  const abort = (): void => controller.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}
