import { pino } from 'pino';
import { codeOf } from '../process/error-code.ts';

/** Lines are kept up to this size while they cannot be written; later ones are dropped. */
const maxKeptBytes = 1_048_576;

/** Buffered lines are written after this time at the latest. */
const maxDelayMs = 100;

/** Max wait of a process that exits for a reader that has fallen behind, and the time between attempts. */
const exitWaitMs = { total: 500, attempt: 5 } as const;

export interface OutputOptions {
  /** Size from which buffered lines are written at once. 1 writes each line at once. */
  readonly minBytes: number;
  /** Receives the number of lines dropped since its last call, once lines can be written again. */
  readonly onDropped: (lines: number) => void;
}

let dropped = 0;

/** Number of log lines that this process dropped because they could not be written. */
export const droppedLogLines = (): number => dropped;

/**
 * Opens standard output for log lines; a process opens it once. Returns a function that writes a line and neither waits
 * nor throws. While the reader of a pipe or socket stalls, or a write fails, for example on a full disk, lines are kept
 * and then dropped. A regular exit and a fatal error write what is buffered.
 */
export function openStandardOutput({ minBytes, onDropped }: OutputOptions): (line: string) => void {
  // Makes a pipe or socket non-blocking, so that a write fails with EAGAIN instead of blocking the process.
  process.stdout.on('error', () => undefined);
  const output = pino.destination({ sync: true, minLength: minBytes, retryEAGAIN: () => false });
  let failure: string | undefined;
  // That of pino stops all writing after the first EPIPE, also for the next reader of a named pipe.
  output.removeAllListeners('error');
  output.on('error', (error: unknown) => (failure = codeOf(error)));
  const hasFailed = (): boolean => failure !== undefined;
  let unreported = 0;
  const waiting: string[] = [];
  let waitingBytes = 0;
  /** After a failure, only the next flush tries again: an attempt costs twice as much as a line. */
  const keep = (line: string): void => {
    const bytes = Buffer.byteLength(line);
    if (waitingBytes + bytes > maxKeptBytes) {
      dropped += 1;
      unreported += 1;
    } else {
      waiting.push(line);
      waitingBytes += bytes;
    }
  };
  const flush = (): void => {
    failure = undefined;
    // `flushSync` would repeat a failed write forever. One call leaves up to `minBytes`.
    const flushOutput = (): void => {
      for (let call = 0; call < 2 && !hasFailed(); call += 1) output.flush();
    };
    flushOutput();
    let written = 0;
    for (const line of waiting) {
      if (hasFailed()) break;
      output.write(line);
      waitingBytes -= Buffer.byteLength(line);
      written += 1;
    }
    waiting.splice(0, written);
    flushOutput();
  };
  const report = (): void => {
    if (hasFailed() || unreported === 0) return;
    const lines = unreported;
    unreported = 0;
    onDropped(lines);
  };
  setInterval(() => {
    flush();
    report();
  }, maxDelayMs).unref();
  process.on('exit', () => {
    const end = performance.now() + exitWaitMs.total;
    do {
      flush();
      if (failure !== 'EAGAIN') return;
      pause(exitWaitMs.attempt);
    } while (performance.now() < end);
  });
  return (line) => {
    if (hasFailed()) keep(line);
    else output.write(line);
  };
}

/** Blocks the process, which exits. */
const pause = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
