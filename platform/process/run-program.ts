import { ConfigurationError } from '../config/configuration.ts';

/** A program that has started; `close` lets what is under way finish. */
export interface Running {
  close(): Promise<void>;
}

/** Exit codes of every program here: 0 after SIGINT or SIGTERM, 1 for a failure, 2 for bad configuration. */
const exitCodes = { stopped: 0, failed: 1, misconfigured: 2 } as const;

/** Longest orderly stop, in milliseconds. */
const stopLimit = 45_000;

/** Starts a program and stops it, in order, at SIGINT or SIGTERM, also while it is starting. A failure is one line on standard error. */
export async function runProgram(start: () => Promise<Running>): Promise<void> {
  const asked = whenAskedToStop();
  try {
    const running = await start();
    await asked;
    await running.close();
    process.exit(exitCodes.stopped);
  } catch (error) {
    fail(error);
  }
}

async function whenAskedToStop(): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      // A second signal ends the process as the system does.
      process.removeListener('SIGINT', stop);
      process.removeListener('SIGTERM', stop);
      setTimeout(() => process.exit(exitCodes.failed), stopLimit).unref();
      resolve();
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
}

function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(error instanceof ConfigurationError ? exitCodes.misconfigured : exitCodes.failed);
}
