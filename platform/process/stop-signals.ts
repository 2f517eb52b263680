/**
 * Milliseconds after a signal in which another one is its echo. A terminal and systemd signal npm and the program, and npm
 * forwards its own signal.
 */
const echoMs = 1_000;

/** What a program does when it is asked to stop. */
export interface StopSignalHandlers {
  readonly first: (signal: NodeJS.Signals) => void;
  /** Called for each later signal that is not an echo. */
  readonly again: (signal: NodeJS.Signals) => void;
}

export function onStopSignals(
  signals: readonly NodeJS.Signals[],
  { first, again }: StopSignalHandlers,
): void {
  let echoUntilMs: number | undefined;
  for (const name of signals) {
    process.on(name, (signal) => {
      if (echoUntilMs === undefined) {
        echoUntilMs = performance.now() + echoMs;
        first(signal);
      } else if (performance.now() > echoUntilMs) {
        again(signal);
      }
    });
  }
}
