import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { constants } from 'node:os';
import { ConfigurationError } from '../config/read-configuration.ts';
import { addressAttemptMs } from '../network/address-attempts.ts';
import { errorMessage } from './error-message.ts';
import { exitCodes } from './exit-codes.ts';
import { onStopSignals } from './stop-signals.ts';

/** A started program. */
export interface Running {
  /** Called first after SIGTERM: keeps working, and resolves when no new work arrives. */
  drain?(): Promise<void>;
  /** Waits for running work. */
  close(): Promise<void>;
}

/** Excludes the drain. Longer than the API waits for running requests (66 s) and a worker for activities (45 s). */
const maxShutdownMs = 75_000;

/** Starts a program and shuts it down at SIGINT or SIGTERM, even during startup. A failure is one line on standard error. */
export async function runProgram(start: () => Promise<Running>): Promise<void> {
  // For the connections of libraries, such as those to PostgreSQL and to AI providers.
  setDefaultAutoSelectFamilyAttemptTimeout(addressAttemptMs);
  const stopRequested = whenStopRequested();
  try {
    const running = await start();
    if ((await stopRequested) === 'SIGTERM') await running.drain?.();
    setTimeout(abandon, maxShutdownMs).unref();
    await running.close();
    process.exit(exitCodes.done);
  } catch (error) {
    fail(error);
  }
}

async function whenStopRequested(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    onStopSignals(['SIGINT', 'SIGTERM'], {
      first: resolve,
      again: (signal) => {
        // The kernel does not end the first process of a container by a signal without a handler.
        if (process.pid === 1) process.exit(128 + constants.signals[signal]);
        process.removeAllListeners(signal);
        process.kill(process.pid, signal);
      },
    });
  });
}

/** Ends a program that does not stop by itself. */
function abandon(): never {
  process.stderr.write(`The process did not stop within ${String(maxShutdownMs / 1_000)} s, and ends now.\n`);
  process.exit(exitCodes.failed);
}

function fail(error: unknown): never {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exit(error instanceof ConfigurationError ? exitCodes.misused : exitCodes.failed);
}
